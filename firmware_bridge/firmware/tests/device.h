/* A device on a bench for tests: send it messages, let time pass, look at what it says. */
#ifndef FW_TEST_DEVICE_H
#define FW_TEST_DEVICE_H

#include <string.h>

#include "../host/library.h"

#define HEARD_MAX 64U

struct device {
    struct fw_host host;
    struct fw_plant_io io;
    struct fw_receiver ear;
    uint32_t now_us;
    uint16_t sequence;  /* of the next COMMAND */
    uint16_t heartbeat; /* of the next COMMAND */
    size_t line;        /* bytes that the line takes per step */
    size_t bad;         /* chunks from the device that were not sound frames */
    size_t heard;       /* frames of the last step, or HEARD_MAX */
    struct fw_frame frames[HEARD_MAX];
};

static inline void device_boot(struct device *device, uint32_t now_us)
{
    memset(device, 0, sizeof *device);
    device->io.temperature = 2500;
    device->io.supply = 24000;
    device->now_us = now_us;
    device->line = 4096;
    fw_host_new(&device->host, &device->io, now_us, NULL);
}

static inline void device_hear(struct device *device, const uint8_t *bytes, size_t length)
{
    static struct fw_frame frame;

    device->heard = 0;
    for (size_t i = 0; i < length; i++) {
        const enum fw_frame_result result = fw_receiver_push(&device->ear, bytes[i], &frame);
        if (result == FW_FRAME_GOOD && fw_payload_size(frame.type) == (int)frame.length) {
            if (device->heard < HEARD_MAX) {
                device->frames[device->heard++] = frame;
            }
        } else if (result != FW_FRAME_NONE) {
            device->bad++;
        }
    }
}

/* Lets time pass, then hands over bytes. */
static inline void device_step(struct device *device, uint32_t us, const uint8_t *bytes, size_t length)
{
    static uint8_t tx[4096];

    device->now_us += us;
    device_hear(device, tx, fw_host_step(&device->host, &device->io, device->now_us, bytes, length, tx, device->line));
}

static inline void device_wait(struct device *device, uint32_t us)
{
    device_step(device, us, NULL, 0);
}

/* Sends a packed frame at once. */
static inline void device_send(struct device *device, const struct fw_frame *frame)
{
    uint8_t wire[FW_WIRE_MAX];
    device_step(device, 0, wire, fw_frame_encode(frame, wire, sizeof wire));
}

static inline void device_say(struct device *device, uint8_t type)
{
    const struct fw_frame frame = {.version = FW_PROTOCOL_VERSION, .type = type};
    device_send(device, &frame);
}

static inline void device_start(struct device *device, uint16_t rate)
{
    struct fw_frame frame = {0};
    fw_pack_start(rate, &frame);
    device_send(device, &frame);
}

static inline void device_clear(struct device *device, uint8_t code)
{
    struct fw_frame frame = {0};
    fw_pack_clear_fault(code, &frame);
    device_send(device, &frame);
}

/* The same current for all motors. */
static inline void device_command(struct device *device, bool enable, int16_t current)
{
    struct fw_frame frame = {0};
    struct fw_command command = {.enable = enable, .led = 2, .heartbeat = device->heartbeat++};

    for (size_t i = 0; i < FW_MOTORS; i++) {
        command.currents[i] = current;
    }
    fw_pack_command(&command, &frame);
    frame.sequence = device->sequence++;
    device_send(device, &frame);
}

/* The newest frame of a type in the last step, or NULL. */
static inline const struct fw_frame *device_heard(const struct device *device, uint8_t type)
{
    const struct fw_frame *found = NULL;

    for (size_t i = 0; i < device->heard; i++) {
        found = device->frames[i].type == type ? &device->frames[i] : found;
    }
    return found;
}

static inline struct fw_state device_state(const struct device *device)
{
    struct fw_state state = {0};
    const struct fw_frame *frame = device_heard(device, FW_STATE);

    if (frame != NULL) {
        fw_unpack_state(frame, &state);
    }
    return state;
}

/* Code of the newest ERROR of the last step, or FW_OK. */
static inline struct fw_error device_error(const struct device *device)
{
    struct fw_error error = {0};
    const struct fw_frame *frame = device_heard(device, FW_ERROR);

    if (frame != NULL) {
        fw_unpack_error(frame, &error);
    }
    return error;
}

#endif
