#include <stdint.h>
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
    uint8_t *out = to;
    const uint8_t *in = from;

    while (length-- > 0U) {
        *out++ = *in++;
    }
    return to;
}

void *memset(void *to, int value, size_t length)
{
    uint8_t *out = to;

    while (length-- > 0U) {
        *out++ = (uint8_t)value;
    }
    return to;
}
