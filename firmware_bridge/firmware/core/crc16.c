#include "crc16.h"

uint16_t fw_crc16(const uint8_t *data, size_t length)
{
    uint16_t crc = 0xFFFFU;

    for (size_t i = 0; i < length; i++) {
        /* A byte at a time without a table: the polynomial has so few terms that shifts do the division. */
        uint16_t mix = (uint16_t)((crc >> 8) ^ data[i]);
        mix = (uint16_t)(mix ^ (mix >> 4));
        crc = (uint16_t)((crc << 8) ^ (mix << 12) ^ (mix << 5) ^ mix);
    }
    return crc;
}
