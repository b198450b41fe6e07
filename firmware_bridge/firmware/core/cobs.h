/* Consistent Overhead Byte Stuffing: bytes without any zero, so that a zero can end a frame. */
#ifndef FW_COBS_H
#define FW_COBS_H

#include <stddef.h>
#include <stdint.h>

#define FW_COBS_BLOCK 254U /* longest run of non-zero bytes under one code byte */

/* Most bytes that `length` bytes can become. */
#define FW_COBS_MAX(length) ((length) + ((length) + FW_COBS_BLOCK - 1U) / FW_COBS_BLOCK)

/* Writes the stuffed bytes, without the ending zero; returns how many, or 0 if they do not fit. */
size_t fw_cobs_encode(const uint8_t *data, size_t length, uint8_t *out, size_t capacity);

/* Writes the plain bytes and how many; returns 0, or -1 if `data` is not stuffed bytes or does not fit. */
int fw_cobs_decode(const uint8_t *data, size_t length, uint8_t *out, size_t capacity, size_t *written);

#endif
