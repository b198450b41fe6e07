/* Fuzzing of codec and device. Two ways to run it:
     fuzz SECONDS [SEED]    with its own generator, under gcc's sanitizers
     clang -fsanitize=fuzzer,address,undefined -DFW_LIBFUZZER …    by libFuzzer, through LLVMFuzzerTestOneInput
   The input is a script for a device on a bench: each byte chooses what happens next, and the bytes after it how. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../core/cobs.h"
#include "device.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct script {
    const uint8_t *data;
    size_t left;
};

static struct device device;
static size_t enabled_steps; /* how deep the fuzzing got */
static size_t good_frames;

static void demand(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz: violated: %s\n", what);
        abort();
    }
}

static uint32_t take(struct script *script, size_t bytes)
{
    uint32_t value = 0;

    for (size_t i = 0; i < bytes && script->left > 0U; i++) {
        value = (value << 8) | *script->data++;
        script->left--;
    }
    return value;
}

/* What must hold whatever came over the line. */
static void check_device(void)
{
    const struct fw *fw = &device.host.fw;

    for (size_t i = 0; i < FW_MOTORS; i++) {
        const int32_t given = device.io.given[i];
        demand(given <= fw->config.peak[i] && -given <= fw->config.peak[i], "no current is above its peak");
        demand(given == 0 || fw->guard.enabled, "no current flows unless enabled");
    }
    if (fw->guard.enabled) {
        enabled_steps++;
        demand(fw->streaming, "nothing is enabled outside a session");
        demand(fw->guard.fault == FW_OK, "nothing is enabled in a fault");
        demand(fw->guard.watchdog == FW_WATCHDOG_ARMED, "nothing is enabled without watchdog");
        demand(fw->guard.silence_us < fw->config.watchdog_ms * 1000U, "nothing is enabled in silence");
    }
    demand(device.bad == 0U, "all that the device says are sound frames");
    good_frames += device.heard;
}

static void send_message(struct script *script)
{
    struct fw_frame frame = {0};
    uint8_t wire[FW_WIRE_MAX];

    frame.version = FW_PROTOCOL_VERSION;
    frame.type = (uint8_t)(take(script, 1) % 8U);
    const int size = fw_payload_size(frame.type);
    frame.length = (uint16_t)(size < 0 ? 0 : size);
    for (size_t i = 0; i < frame.length; i++) {
        frame.payload[i] = (uint8_t)take(script, 1);
    }
    frame.sequence = (uint16_t)take(script, 2);
    const size_t length = fw_frame_encode(&frame, wire, sizeof wire);
    const uint32_t damage = take(script, 1);
    if (damage >= 0xF0U) { /* now and then a bit falls over */
        wire[take(script, 1) % length] ^= (uint8_t)(1U << (damage & 7U));
    }
    device_step(&device, take(script, 1), wire, length);
}

static void change_plant(struct script *script)
{
    const size_t motor = take(script, 1) % FW_MOTORS;

    switch (take(script, 1) % 6U) {
    case 0:
        device.io.counts[motor] = (int32_t)take(script, 4);
        break;
    case 1:
        device.io.currents[motor] = (int16_t)take(script, 2);
        break;
    case 2:
        device.io.temperature = (int16_t)take(script, 2);
        break;
    case 3:
        device.io.supply = (uint16_t)take(script, 2);
        break;
    case 4:
        device.line = take(script, 2) % 4096U;
        break;
    default: /* all well again, so that the rest of the script gets somewhere */
        memset(device.io.currents, 0, sizeof device.io.currents);
        device.io.temperature = 2500;
        device.io.supply = 24000;
        device.line = 4096;
        break;
    }
}

static void act(struct script *script)
{
    const uint32_t choice = take(script, 1) % 16U;

    if (choice < 4U) {
        send_message(script);
    } else if (choice < 8U) {
        device_command(&device, choice != 4U, (int16_t)take(script, 2));
    } else if (choice == 8U) {
        device_start(&device, (uint16_t)(250U + take(script, 2) % 4000U));
    } else if (choice == 9U) {
        device_clear(&device, device.host.fw.guard.fault);
    } else if (choice < 12U) {
        device_wait(&device, take(script, choice == 10U ? 1U : 2U));
    } else if (choice == 12U) {
        device_wait(&device, take(script, 4));
    } else if (choice < 15U) {
        change_plant(script);
    } else { /* plain noise */
        const size_t length = take(script, 2) % 1500U;
        const size_t given = length < script->left ? length : script->left;
        device_step(&device, take(script, 1), script->data, given < script->left ? given : script->left);
        (void)take(script, given);
    }
}

/* Stuffing and unstuffing are inverse, and unstuffing anything is safe. */
static void check_stuffing(const uint8_t *data, size_t size)
{
    static uint8_t stuffed[FW_COBS_MAX(4096U)];
    static uint8_t plain[4096];
    const size_t length = size < sizeof plain ? size : sizeof plain;
    size_t written = 0;

    const size_t long_one = fw_cobs_encode(data, length, stuffed, sizeof stuffed);
    demand(long_one > 0U, "stuffing fits the room that it asks for");
    demand(memchr(stuffed, 0, long_one) == NULL, "stuffed bytes have no zero");
    demand(fw_cobs_decode(stuffed, long_one, plain, sizeof plain, &written) == 0, "stuffed bytes can be unstuffed");
    demand(written == length && (length == 0U || memcmp(plain, data, length) == 0), "stuffing loses nothing");
    (void)fw_cobs_decode(data, size, plain, length / 2U, &written); /* too little room */
    (void)fw_cobs_decode(data, size, plain, sizeof plain, &written);
    if (size > 0U) { /* also with a first code that fits, to get further */
        memcpy(stuffed, data, length);
        stuffed[0] = (uint8_t)(1U + stuffed[0] % 8U);
        (void)fw_cobs_decode(stuffed, length, plain, length, &written);
    }
}

/* A frame that is taken for good is encoded to one that reads the same. */
static void check_frames(const uint8_t *data, size_t size)
{
    static struct fw_receiver receiver;
    static struct fw_frame frame;
    static struct fw_frame again;
    uint8_t wire[FW_WIRE_MAX];

    fw_receiver_reset(&receiver);
    for (size_t i = 0; i < size; i++) {
        if (fw_receiver_push(&receiver, data[i], &frame) == FW_FRAME_GOOD) {
            const size_t length = fw_frame_encode(&frame, wire, sizeof wire);
            demand(length > 1U, "a good frame can be sent");
            demand(fw_frame_decode(wire, length - 1U, &again) == FW_FRAME_GOOD, "and received");
            demand(again.length == frame.length && memcmp(again.payload, frame.payload, frame.length) == 0, "unchanged");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct script script = {data, size};

    check_stuffing(data, size);
    check_frames(data, size);
    device_boot(&device, take(&script, 4));
    while (script.left > 0U) {
        act(&script);
        check_device();
    }
    return 0;
}

#ifndef FW_LIBFUZZER

#define INPUT_MAX 4096U

static uint64_t random_state;

static uint32_t random_below(uint32_t end)
{
    random_state ^= random_state << 13; /* xorshift64 */
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 20) % end);
}

static size_t invent(uint8_t *data)
{
    const size_t size = random_below(INPUT_MAX);
    const bool sparse = random_below(4) == 0U;

    for (size_t i = 0; i < size; i++) {
        data[i] = (uint8_t)(sparse && random_below(4) != 0U ? random_below(3) : random_below(256));
    }
    return size;
}

/* Changes an input a little, so that what got deep goes on from there. */
static size_t mutate(uint8_t *data, size_t size)
{
    for (uint32_t n = 1U + random_below(8); n > 0U && size > 0U; n--) {
        const size_t at = random_below((uint32_t)size);
        const size_t length = 1U + random_below((uint32_t)(size - at));
        switch (random_below(4)) {
        case 0:
            data[at] ^= (uint8_t)(1U << random_below(8));
            break;
        case 1:
            data[at] = (uint8_t)random_below(256);
            break;
        case 2:
            memmove(data + at, data + at + length, size - at - length);
            size -= length < 16U ? length : 0U;
            break;
        default:
            memmove(data + random_below((uint32_t)(INPUT_MAX - length)), data + at, length);
            break;
        }
    }
    return size;
}

/* In memory of exactly its size, so that the sanitizer sees any byte read beyond. */
static void run_exact(const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size > 0U ? size : 1U);

    if (exact != NULL) {
        memcpy(exact, data, size);
        (void)LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
}

int main(int count, char **words)
{
    static uint8_t data[INPUT_MAX];
    const long seconds = count > 1 ? strtol(words[1], NULL, 10) : 3;
    const time_t end = time(NULL) + seconds;
    size_t size = 0;
    unsigned long runs = 0;

    random_state = 0x9E3779B97F4A7C15U ^ (uint64_t)(count > 2 ? strtoul(words[2], NULL, 10) : 1U);
    while (time(NULL) < end) {
        size = runs % 8U == 0U ? invent(data) : mutate(data, size);
        run_exact(data, size);
        runs++;
    }
    printf("fuzz: %lu inputs, %zu frames heard, %zu steps enabled, no finding\n", runs, good_frames, enabled_steps);
    return EXIT_SUCCESS;
}

#endif
