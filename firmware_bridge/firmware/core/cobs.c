#include "cobs.h"

size_t fw_cobs_encode(const uint8_t *data, size_t length, uint8_t *out, size_t capacity)
{
    size_t code_at = 0;
    size_t at = 1;
    uint8_t code = 1;

    if (capacity == 0 || FW_COBS_MAX(length) > capacity) {
        return 0;
    }
    for (size_t i = 0; i < length; i++) {
        if (data[i] != 0U) {
            out[at++] = data[i];
            code++;
        }
        if (data[i] == 0U || code == 0xFFU) {
            out[code_at] = code;
            if (code == 0xFFU && data[i] != 0U && i + 1U == length) {
                return at; /* a full block at the very end needs no further code */
            }
            code_at = at++;
            code = 1;
        }
    }
    out[code_at] = code;
    return at;
}

int fw_cobs_decode(const uint8_t *data, size_t length, uint8_t *out, size_t capacity, size_t *written)
{
    size_t in = 0;
    size_t at = 0;

    while (in < length) {
        const size_t code = data[in++];
        if (code == 0U || code - 1U > length - in || code - 1U > capacity - at) {
            return -1;
        }
        for (size_t i = 1; i < code; i++) {
            if (data[in] == 0U) {
                return -1;
            }
            out[at++] = data[in++];
        }
        if (code != 0xFFU && in < length) { /* the code stood for a zero, save at the end */
            if (at == capacity) {
                return -1;
            }
            out[at++] = 0U;
        }
    }
    *written = at;
    return 0;
}
