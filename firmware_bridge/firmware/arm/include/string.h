/* The two functions of string.h that the firmware uses: no C library is needed on the chip. */
#ifndef FW_ARM_STRING_H
#define FW_ARM_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t length);
void *memset(void *to, int value, size_t length);

#endif
