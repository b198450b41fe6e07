/* CRC-16/IBM-3740 ("CCITT-FALSE"): polynomial 0x1021, start 0xFFFF, no reflection; "123456789" gives 0x29B1. */
#ifndef FW_CRC16_H
#define FW_CRC16_H

#include <stddef.h>
#include <stdint.h>

uint16_t fw_crc16(const uint8_t *data, size_t length);

#endif
