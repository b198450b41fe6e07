/* Little-endian numbers in byte buffers, the same on every machine. A cursor walks along; each call moves it on. */
#ifndef FW_BYTES_H
#define FW_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void fw_put_u8(uint8_t **cursor, uint8_t value)
{
    *(*cursor)++ = value;
}

static inline void fw_put_u16(uint8_t **cursor, uint16_t value)
{
    fw_put_u8(cursor, (uint8_t)(value & 0xFFU));
    fw_put_u8(cursor, (uint8_t)(value >> 8));
}

static inline void fw_put_u32(uint8_t **cursor, uint32_t value)
{
    fw_put_u16(cursor, (uint16_t)(value & 0xFFFFU));
    fw_put_u16(cursor, (uint16_t)(value >> 16));
}

static inline void fw_put_i16(uint8_t **cursor, int16_t value)
{
    fw_put_u16(cursor, (uint16_t)value);
}

static inline void fw_put_i32(uint8_t **cursor, int32_t value)
{
    fw_put_u32(cursor, (uint32_t)value);
}

static inline void fw_put_f32(uint8_t **cursor, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    fw_put_u32(cursor, bits);
}

static inline void fw_put_text(uint8_t **cursor, const char *text, size_t length)
{
    memcpy(*cursor, text, length);
    *cursor += length;
}

static inline uint8_t fw_get_u8(const uint8_t **cursor)
{
    return *(*cursor)++;
}

static inline uint16_t fw_get_u16(const uint8_t **cursor)
{
    const uint16_t low = fw_get_u8(cursor);
    return (uint16_t)(low | (uint16_t)(fw_get_u8(cursor) << 8));
}

static inline uint32_t fw_get_u32(const uint8_t **cursor)
{
    const uint32_t low = fw_get_u16(cursor);
    return low | ((uint32_t)fw_get_u16(cursor) << 16);
}

static inline int16_t fw_get_i16(const uint8_t **cursor)
{
    return (int16_t)fw_get_u16(cursor);
}

static inline int32_t fw_get_i32(const uint8_t **cursor)
{
    return (int32_t)fw_get_u32(cursor);
}

static inline float fw_get_f32(const uint8_t **cursor)
{
    const uint32_t bits = fw_get_u32(cursor);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void fw_get_text(const uint8_t **cursor, char *text, size_t length)
{
    memcpy(text, *cursor, length);
    *cursor += length;
}

#endif
