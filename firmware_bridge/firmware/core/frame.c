#include "frame.h"

#include <string.h>

#include "bytes.h"
#include "crc16.h"

size_t fw_frame_encode(const struct fw_frame *frame, uint8_t *wire, size_t capacity)
{
    uint8_t raw[FW_RAW_MAX];
    uint8_t *cursor = raw;

    if (frame->length > FW_PAYLOAD_MAX || capacity == 0U) {
        return 0;
    }
    fw_put_u8(&cursor, frame->version);
    fw_put_u8(&cursor, frame->type);
    fw_put_u16(&cursor, frame->sequence);
    fw_put_u32(&cursor, frame->time_us);
    memcpy(cursor, frame->payload, frame->length);
    cursor += frame->length;
    fw_put_u16(&cursor, fw_crc16(raw, (size_t)(cursor - raw)));

    const size_t stuffed = fw_cobs_encode(raw, (size_t)(cursor - raw), wire, capacity - 1U);
    if (stuffed == 0U) {
        return 0;
    }
    wire[stuffed] = 0U;
    return stuffed + 1U;
}

enum fw_frame_result fw_frame_decode(const uint8_t *stuffed, size_t length, struct fw_frame *frame)
{
    uint8_t raw[FW_STUFFED_MAX];
    size_t size = 0;

    if (length > FW_STUFFED_MAX) {
        return FW_FRAME_TOO_LONG;
    }
    if (fw_cobs_decode(stuffed, length, raw, sizeof raw, &size) != 0 || size < FW_HEADER_SIZE + FW_CRC_SIZE) {
        return FW_FRAME_TORN;
    }
    if (size > FW_RAW_MAX) {
        return FW_FRAME_TOO_LONG;
    }
    const uint8_t *cursor = raw + size - FW_CRC_SIZE;
    if (fw_get_u16(&cursor) != fw_crc16(raw, size - FW_CRC_SIZE)) {
        return FW_FRAME_CRC;
    }
    cursor = raw;
    frame->version = fw_get_u8(&cursor);
    frame->type = fw_get_u8(&cursor);
    frame->sequence = fw_get_u16(&cursor);
    frame->time_us = fw_get_u32(&cursor);
    frame->length = (uint16_t)(size - FW_HEADER_SIZE - FW_CRC_SIZE);
    memcpy(frame->payload, cursor, frame->length);
    return FW_FRAME_GOOD;
}

void fw_receiver_reset(struct fw_receiver *receiver)
{
    receiver->filled = 0;
    receiver->overflow = false;
}

enum fw_frame_result fw_receiver_push(struct fw_receiver *receiver, uint8_t byte, struct fw_frame *frame)
{
    if (byte != 0U) {
        if (receiver->filled < FW_STUFFED_MAX) {
            receiver->stuffed[receiver->filled++] = byte;
        } else {
            receiver->overflow = true;
        }
        return FW_FRAME_NONE;
    }
    enum fw_frame_result result = FW_FRAME_NONE; /* zeros in a row are harmless: a host sends some to be in step */
    if (receiver->overflow) {
        result = FW_FRAME_TOO_LONG;
    } else if (receiver->filled > 0U) {
        result = fw_frame_decode(receiver->stuffed, receiver->filled, frame);
    }
    fw_receiver_reset(receiver);
    return result;
}
