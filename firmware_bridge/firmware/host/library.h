/* The firmware as a library for a program that plays the board: one call per step of its own time. */
#ifndef FW_HOST_LIBRARY_H
#define FW_HOST_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#include "../core/firmware.h"

/* What the board feels and does. Wide types first: no padding that a reader in another language would have to know. */
struct fw_plant_io {
    int32_t counts[FW_MOTORS];   /* in: encoders */
    int16_t currents[FW_MOTORS]; /* in: measured [mA] */
    int16_t temperature;         /* in: [0.01 °C] */
    uint16_t supply;             /* in: [mV] */
    uint16_t grip;               /* in: 0 open … 65535 closed */
    int16_t given[FW_MOTORS];    /* out: currents for the motors [mA] */
    uint8_t buttons;             /* in */
    uint8_t brake;               /* out: windings are shorted */
    uint8_t led;                 /* out: bits red, green, blue */
    uint8_t reserved[3];
};

/* One device and what it is connected to during a step. */
struct fw_host {
    struct fw fw;
    struct fw_plant_io *io;
    uint32_t now_us;
    const uint8_t *rx;
    size_t rx_left;
    uint8_t *tx;
    size_t tx_filled;
    size_t tx_capacity;
};

/* Bytes that a handle needs: the caller provides them, aligned as for a uint64_t. */
size_t fw_host_size(void);

/* Boots; `identity` is the payload of an IDENTITY that replaces the built-in one, or NULL. */
void fw_host_new(struct fw_host *host, const struct fw_plant_io *io, uint32_t now_us, const uint8_t *identity);

/* Sets the inputs as converters would, cut to their range: six counts, six currents [A], temperature [°C], supply [V],
   grip 0…1, buttons. */
void fw_host_sense(struct fw_plant_io *io, const double values[2U * FW_MOTORS + 4U]);

/* Reads all of `rx` at time `now_us`, moves the outputs, and returns how many bytes of `tx` were written. */
size_t fw_host_step(struct fw_host *host, struct fw_plant_io *io, uint32_t now_us, const uint8_t *rx, size_t rx_length,
                    uint8_t *tx, size_t tx_capacity);

/* Payload of the built-in IDENTITY: FW_IDENTITY_SIZE bytes. */
void fw_host_identity(uint8_t *payload);

#endif
