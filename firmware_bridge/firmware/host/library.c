#include "library.h"

#include <string.h>

#include "../core/syntaxer.h"

static uint32_t time_us(void *context)
{
    return ((const struct fw_host *)context)->now_us;
}

static void read_encoders(void *context, int32_t counts[FW_MOTORS])
{
    const struct fw_host *host = context;
    memcpy(counts, host->io->counts, sizeof host->io->counts);
}

static void read_adc(void *context, int16_t currents[FW_MOTORS], int16_t *temperature, uint16_t *supply)
{
    const struct fw_host *host = context;
    memcpy(currents, host->io->currents, sizeof host->io->currents);
    *temperature = host->io->temperature;
    *supply = host->io->supply;
}

static void read_handle(void *context, uint8_t *buttons, uint16_t *grip)
{
    const struct fw_host *host = context;
    *buttons = host->io->buttons;
    *grip = host->io->grip;
}

static void set_motors(void *context, const int16_t currents[FW_MOTORS], bool brake)
{
    struct fw_host *host = context;
    memcpy(host->io->given, currents, sizeof host->io->given);
    host->io->brake = brake ? 1U : 0U;
}

static void set_led(void *context, uint8_t led)
{
    ((struct fw_host *)context)->io->led = led;
}

static size_t uart_read(void *context, uint8_t *data, size_t capacity)
{
    struct fw_host *host = context;
    const size_t count = host->rx_left < capacity ? host->rx_left : capacity;

    if (count > 0U) {
        memcpy(data, host->rx, count);
        host->rx += count;
        host->rx_left -= count;
    }
    return count;
}

static size_t uart_write(void *context, const uint8_t *data, size_t length)
{
    struct fw_host *host = context;
    const size_t space = host->tx_capacity - host->tx_filled;
    const size_t count = length < space ? length : space;

    if (count > 0U) {
        memcpy(host->tx + host->tx_filled, data, count);
        host->tx_filled += count;
    }
    return count;
}

size_t fw_host_size(void)
{
    return sizeof(struct fw_host);
}

void fw_host_new(struct fw_host *host, const struct fw_plant_io *io, uint32_t now_us, const uint8_t *identity)
{
    const struct fw_hardware hardware = {
        .context = host,
        .time_us = time_us,
        .read_encoders = read_encoders,
        .read_adc = read_adc,
        .read_handle = read_handle,
        .set_motors = set_motors,
        .set_led = set_led,
        .uart_read = uart_read,
        .uart_write = uart_write,
    };
    struct fw_plant_io first = *io;
    struct fw_config config = fw_syntaxer;
    struct fw_frame frame;

    memset(host, 0, sizeof *host);
    host->io = &first;
    host->now_us = now_us;
    if (identity != NULL) {
        memcpy(frame.payload, identity, FW_IDENTITY_SIZE);
        fw_unpack_identity(&frame, &config);
    }
    fw_init(&host->fw, &config, &hardware);
    host->io = NULL; /* lives no longer than this call; each step brings its own */
}

static int64_t convert(double value, int64_t low, int64_t high)
{
    if (value != value) { /* not a number */
        return 0;
    }
    if (value <= (double)low || value >= (double)high) {
        return value <= (double)low ? low : high;
    }
    return (int64_t)(value + (value < 0.0 ? -0.5 : 0.5));
}

void fw_host_sense(struct fw_plant_io *io, const double values[2U * FW_MOTORS + 4U])
{
    const double *rest = values + 2U * FW_MOTORS;

    for (size_t i = 0; i < FW_MOTORS; i++) {
        const int64_t counts = convert(values[i], -(INT64_C(1) << 53), INT64_C(1) << 53);
        io->counts[i] = (int32_t)(uint32_t)(uint64_t)counts; /* a counter wraps */
        io->currents[i] = (int16_t)convert(values[FW_MOTORS + i] * 1e3, INT16_MIN, INT16_MAX);
    }
    io->temperature = (int16_t)convert(rest[0] * 1e2, INT16_MIN, INT16_MAX);
    io->supply = (uint16_t)convert(rest[1] * 1e3, 0, UINT16_MAX);
    io->grip = (uint16_t)convert(rest[2] * 65535.0, 0, UINT16_MAX);
    io->buttons = (uint8_t)convert(rest[3], 0, UINT8_MAX);
}

size_t fw_host_step(struct fw_host *host, struct fw_plant_io *io, uint32_t now_us, const uint8_t *rx, size_t rx_length,
                    uint8_t *tx, size_t tx_capacity)
{
    host->io = io;
    host->now_us = now_us;
    host->rx = rx;
    host->rx_left = rx_length;
    host->tx = tx;
    host->tx_filled = 0;
    host->tx_capacity = tx_capacity;
    do {
        fw_poll(&host->fw);
    } while (host->rx_left > 0U); /* a turn reads a bounded number of bytes */
    host->io = NULL;
    return host->tx_filled;
}

void fw_host_identity(uint8_t *payload)
{
    struct fw_frame frame;

    fw_pack_identity(&fw_syntaxer, &frame);
    memcpy(payload, frame.payload, FW_IDENTITY_SIZE);
}
