/* Frames: COBS(header + payload + CRC) + 0. The header is the same in every version of the protocol. */
#ifndef FW_FRAME_H
#define FW_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cobs.h"

#define FW_PROTOCOL_VERSION 1U
#define FW_HEADER_SIZE 8U
#define FW_CRC_SIZE 2U
#define FW_PAYLOAD_MAX 364U
#define FW_RAW_MAX (FW_HEADER_SIZE + FW_PAYLOAD_MAX + FW_CRC_SIZE)
#define FW_STUFFED_MAX FW_COBS_MAX(FW_RAW_MAX)
#define FW_WIRE_MAX (FW_STUFFED_MAX + 1U) /* with the ending zero */

struct fw_frame {
    uint8_t version;
    uint8_t type;
    uint16_t sequence; /* counts the frames of this type from this sender */
    uint32_t time_us;  /* clock of the sender [µs], wraps */
    uint16_t length;
    uint8_t payload[FW_PAYLOAD_MAX];
};

enum fw_frame_result {
    FW_FRAME_NONE,     /* nothing complete yet */
    FW_FRAME_GOOD,     /* header, length and CRC are sound; type and payload are not judged here */
    FW_FRAME_TORN,     /* not stuffed bytes, or shorter than any frame */
    FW_FRAME_CRC,      /* the check does not fit */
    FW_FRAME_TOO_LONG, /* longer than any frame */
};

/* Puts bytes together until a zero ends a frame. */
struct fw_receiver {
    uint8_t stuffed[FW_STUFFED_MAX];
    size_t filled;
    bool overflow;
};

/* Writes the wire bytes with the ending zero; returns how many, or 0 if they do not fit or the frame is too long. */
size_t fw_frame_encode(const struct fw_frame *frame, uint8_t *wire, size_t capacity);

/* Reads stuffed bytes without the ending zero. */
enum fw_frame_result fw_frame_decode(const uint8_t *stuffed, size_t length, struct fw_frame *frame);

void fw_receiver_reset(struct fw_receiver *receiver);

/* Takes one byte off the line; `frame` is filled when the result is FW_FRAME_GOOD. */
enum fw_frame_result fw_receiver_push(struct fw_receiver *receiver, uint8_t byte, struct fw_frame *frame);

#endif
