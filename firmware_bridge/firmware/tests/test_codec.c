/* COBS, CRC and frames against the shared vectors. Usage: test_codec vectors.txt */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../core/cobs.h"
#include "../core/crc16.h"
#include "../core/frame.h"
#include "../core/messages.h"
#include "check.h"

#define MOST 600U /* bytes of one vector */
#define LINE 4096

struct bytes {
    size_t length;
    uint8_t data[MOST];
};

/* "-" is no bytes at all. */
static struct bytes from_hex(const char *text)
{
    struct bytes bytes = {0};

    for (size_t i = 0; text[0] != '-' && text[i] != '\0' && text[i + 1U] != '\0' && bytes.length < MOST; i += 2U) {
        const char pair[3] = {text[i], text[i + 1U], '\0'};
        bytes.data[bytes.length++] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return bytes;
}

static enum fw_frame_result receive(const struct bytes *wire, struct fw_frame *frame)
{
    struct fw_receiver receiver;
    enum fw_frame_result result = FW_FRAME_NONE;

    fw_receiver_reset(&receiver);
    for (size_t i = 0; i < wire->length; i++) {
        CHECK(result == FW_FRAME_NONE);
        result = fw_receiver_push(&receiver, wire->data[i], frame);
    }
    return result;
}

static void check_crc(char words[8][LINE])
{
    const struct bytes data = from_hex(words[1]);
    CHECK(fw_crc16(data.data, data.length) == strtoul(words[2], NULL, 16));
}

static void check_cobs(char words[8][LINE])
{
    const struct bytes plain = from_hex(words[1]);
    const struct bytes stuffed = from_hex(words[2]);
    uint8_t out[MOST];
    size_t length = 0;

    CHECK(fw_cobs_encode(plain.data, plain.length, out, sizeof out) == stuffed.length);
    CHECK(memcmp(out, stuffed.data, stuffed.length) == 0);
    CHECK(fw_cobs_decode(stuffed.data, stuffed.length, out, sizeof out, &length) == 0);
    CHECK(length == plain.length && memcmp(out, plain.data, length) == 0);
    if (plain.length > 0U) {
        CHECK(fw_cobs_decode(stuffed.data, stuffed.length, out, plain.length - 1U, &length) == -1);
        CHECK(fw_cobs_encode(plain.data, plain.length, out, plain.length) == 0);
    }
}

static void check_good(char words[8][LINE])
{
    struct fw_frame frame = {0};
    const struct bytes payload = from_hex(words[6]);
    const struct bytes wire = from_hex(words[7]);
    uint8_t out[FW_WIRE_MAX];

    CHECK(receive(&wire, &frame) == FW_FRAME_GOOD);
    CHECK(frame.version == strtoul(words[2], NULL, 10));
    CHECK(frame.type == strtoul(words[3], NULL, 10));
    CHECK(frame.sequence == strtoul(words[4], NULL, 10));
    CHECK(frame.time_us == strtoul(words[5], NULL, 10));
    CHECK(frame.length == payload.length && memcmp(frame.payload, payload.data, payload.length) == 0);
    CHECK(fw_frame_encode(&frame, out, sizeof out) == wire.length);
    CHECK(memcmp(out, wire.data, wire.length) == 0);
    CHECK(fw_frame_encode(&frame, out, 3U) == 0U);
    if (frame.version == FW_PROTOCOL_VERSION) {
        CHECK(fw_payload_size(frame.type) == (int)frame.length);
    }
}

static void check_bad(char words[8][LINE])
{
    struct fw_frame frame = {0};
    const struct bytes wire = from_hex(words[3]);
    const enum fw_frame_result expected = strcmp(words[1], "torn") == 0  ? FW_FRAME_TORN
                                          : strcmp(words[1], "crc") == 0 ? FW_FRAME_CRC
                                                                         : FW_FRAME_TOO_LONG;
    CHECK(receive(&wire, &frame) == expected);
}

static void check_line(const char *line)
{
    static char words[8][LINE];

    memset(words, 0, sizeof words);
    if (sscanf(line, "%4095s %4095s %4095s %4095s %4095s %4095s %4095s %4095s", words[0], words[1], words[2], words[3],
               words[4], words[5], words[6], words[7]) < 3) {
        return;
    }
    if (strcmp(words[0], "crc") == 0) {
        check_crc(words);
    } else if (strcmp(words[0], "cobs") == 0) {
        check_cobs(words);
    } else if (strcmp(words[0], "good") == 0) {
        check_good(words);
    } else if (strcmp(words[0], "bad") == 0) {
        check_bad(words);
    }
}

/* Arrays of exactly the size that is told: the sanitizer sees any byte read or written beyond. */
static void check_what_is_not_stuffed(void)
{
    const uint8_t past_end[] = {5, 1, 2};
    const uint8_t zero_code[] = {2, 1, 0};
    const uint8_t zero_inside[] = {3, 1, 0, 1};
    const uint8_t full_block_cut[] = {0xFF, 1, 2, 3};
    const uint8_t three[] = {4, 1, 2, 3};
    const uint8_t with_zero[] = {3, 1, 2, 1};
    uint8_t two[2];
    uint8_t room[16];
    size_t length = 0;

    CHECK(fw_cobs_decode(past_end, sizeof past_end, room, sizeof room, &length) == -1);
    CHECK(fw_cobs_decode(zero_code, sizeof zero_code, room, sizeof room, &length) == -1);
    CHECK(fw_cobs_decode(zero_inside, sizeof zero_inside, room, sizeof room, &length) == -1);
    CHECK(fw_cobs_decode(full_block_cut, sizeof full_block_cut, room, sizeof room, &length) == -1);
    CHECK(fw_cobs_decode(three, sizeof three, two, sizeof two, &length) == -1);
    CHECK(fw_cobs_decode(with_zero, sizeof with_zero, two, sizeof two, &length) == -1);
    CHECK(fw_cobs_decode(NULL, 0U, two, sizeof two, &length) == 0 && length == 0U);
}

static void check_payload_too_long(void)
{
    struct fw_frame frame = {.length = FW_PAYLOAD_MAX + 1U};
    uint8_t out[FW_WIRE_MAX];

    CHECK(fw_frame_encode(&frame, out, sizeof out) == 0U);
}

static void check_receiver_recovers(void)
{
    struct fw_receiver receiver;
    struct fw_frame frame = {.version = 1, .type = FW_STOP, .sequence = 7};
    uint8_t wire[FW_WIRE_MAX];
    const size_t length = fw_frame_encode(&frame, wire, sizeof wire);
    enum fw_frame_result result = FW_FRAME_NONE;

    fw_receiver_reset(&receiver);
    for (size_t i = 0; i < 10U * FW_WIRE_MAX; i++) {
        CHECK(fw_receiver_push(&receiver, 0x55U, &frame) == FW_FRAME_NONE);
    }
    CHECK(fw_receiver_push(&receiver, 0U, &frame) == FW_FRAME_TOO_LONG);
    CHECK(fw_receiver_push(&receiver, 0U, &frame) == FW_FRAME_NONE);
    for (size_t i = 0; i < length; i++) {
        result = fw_receiver_push(&receiver, wire[i], &frame);
    }
    CHECK(result == FW_FRAME_GOOD && frame.type == FW_STOP && frame.sequence == 7U);
}

int main(int count, char **words)
{
    static char line[LINE];
    FILE *vectors = count > 1 ? fopen(words[1], "r") : NULL;

    CHECK(vectors != NULL);
    while (vectors != NULL && fgets(line, sizeof line, vectors) != NULL) {
        if (line[0] != '#') {
            check_line(line);
        }
    }
    if (vectors != NULL) {
        fclose(vectors);
    }
    check_what_is_not_stuffed();
    check_payload_too_long();
    check_receiver_recovers();
    return checks_end("codec");
}
