#include "guard.h"

#include <string.h>

#include "age.h"

#define SPEED_WINDOW_US 1000U     /* shorter, and one count would be a large speed */
#define OVER_CURRENT_US 2000U     /* a spike of the bridge is shorter, a short circuit is not */
#define COOLED_DOWN 500           /* below the limit before a fault may be cleared [0.01 °C] */
#define SUPPLY_BACK 500           /* above the limit likewise [mV] */
#define LIVE_FAULTS (FW_STATUS_OVER_SPEED | FW_STATUS_OVER_TEMPERATURE | FW_STATUS_UNDER_VOLTAGE | FW_STATUS_OVER_CURRENT)

static void mark(struct fw_guard *guard, enum fw_status bit, bool is_so)
{
    guard->live = (uint16_t)(is_so ? (guard->live | bit) : (guard->live & ~(uint32_t)bit));
}

void fw_guard_reset(struct fw_guard *guard)
{
    memset(guard, 0, sizeof *guard);
}

void fw_guard_disarm(struct fw_guard *guard)
{
    guard->enabled = false;
    guard->off_seen = false;
    guard->wanted = false;
    if (guard->watchdog == FW_WATCHDOG_ARMED) {
        guard->watchdog = FW_WATCHDOG_IDLE;
    }
}

/* Returns the motor that is too fast, or -1; sets the live bit once per window. */
static int watch_speed(struct fw_guard *guard, const struct fw_config *config, const int32_t counts[FW_MOTORS],
                       uint32_t elapsed_us)
{
    int fast = -1;

    guard->speed_us = fw_age(guard->speed_us, elapsed_us);
    if (guard->speed_known && guard->speed_us < SPEED_WINDOW_US) {
        return -1;
    }
    for (size_t i = 0; i < FW_MOTORS && guard->speed_known; i++) {
        /* Counters wrap, so the difference is taken modulo 2³². */
        const int32_t moved = (int32_t)((uint32_t)counts[i] - (uint32_t)guard->speed_from[i]);
        const uint64_t distance = (uint64_t)(moved < 0 ? -(int64_t)moved : moved);
        if (distance * 1000000U > (uint64_t)config->speed_max[i] * guard->speed_us && fast < 0) {
            fast = (int)i;
        }
    }
    guard->brake = guard->brake || fast >= 0; /* whatever else is wrong: this one has to be stopped */
    memcpy(guard->speed_from, counts, sizeof guard->speed_from);
    guard->speed_us = 0;
    guard->speed_known = true;
    mark(guard, FW_STATUS_OVER_SPEED, fast >= 0);
    return fast;
}

/* Returns the motor whose current does not obey, or -1. */
static int watch_currents(struct fw_guard *guard, const struct fw_config *config, const int16_t currents[FW_MOTORS],
                          uint32_t elapsed_us)
{
    int runaway = -1;

    for (size_t i = 0; i < FW_MOTORS; i++) {
        const int32_t magnitude = currents[i] < 0 ? -(int32_t)currents[i] : currents[i];
        if (magnitude * 4 > (int32_t)config->peak[i] * 5 && runaway < 0) {
            runaway = (int)i;
        }
    }
    guard->over_current_us = runaway < 0 ? 0U : fw_age(guard->over_current_us, elapsed_us);
    mark(guard, FW_STATUS_OVER_CURRENT, guard->over_current_us >= OVER_CURRENT_US);
    return runaway;
}

static void watch_supply(struct fw_guard *guard, const struct fw_config *config, const struct fw_inputs *inputs)
{
    const bool hot = (guard->live & FW_STATUS_OVER_TEMPERATURE) != 0U;
    const bool low = (guard->live & FW_STATUS_UNDER_VOLTAGE) != 0U;

    mark(guard, FW_STATUS_OVER_TEMPERATURE, inputs->temperature >= config->temperature_max - (hot ? COOLED_DOWN : 0));
    mark(guard, FW_STATUS_UNDER_VOLTAGE, inputs->supply < config->supply_min + (low ? SUPPLY_BACK : 0));
}

/* Latches the first thing that is wrong; returns its code if it is new. */
static enum fw_code latch(struct fw_guard *guard, const struct fw_inputs *inputs, int fast, int runaway)
{
    enum fw_code code = FW_OK;

    if (guard->fault != FW_OK) {
        return FW_OK;
    }
    if (fast >= 0) {
        code = FW_OVER_SPEED;
        guard->detail = fast;
    } else if ((guard->live & FW_STATUS_OVER_CURRENT) != 0U) {
        code = FW_OVER_CURRENT;
        guard->detail = runaway;
    } else if ((guard->live & FW_STATUS_OVER_TEMPERATURE) != 0U) {
        code = FW_OVER_TEMPERATURE;
        guard->detail = inputs->temperature;
    } else if ((guard->live & FW_STATUS_UNDER_VOLTAGE) != 0U) {
        code = FW_UNDER_VOLTAGE;
        guard->detail = inputs->supply;
    }
    if (code != FW_OK) {
        guard->fault = (uint8_t)code;
        fw_guard_disarm(guard);
    }
    return code;
}

enum fw_code fw_guard_watch(struct fw_guard *guard, const struct fw_config *config, const struct fw_inputs *inputs,
                            uint32_t elapsed_us)
{
    const int fast = watch_speed(guard, config, inputs->counts, elapsed_us);
    const int runaway = watch_currents(guard, config, inputs->currents, elapsed_us);
    watch_supply(guard, config, inputs);
    guard->silence_us = fw_age(guard->silence_us, elapsed_us);

    const enum fw_code fault = latch(guard, inputs, fast, runaway);
    if (fault != FW_OK) {
        return fault;
    }
    if (guard->enabled && guard->silence_us >= (uint32_t)config->watchdog_ms * 1000U) {
        fw_guard_disarm(guard);
        guard->watchdog = FW_WATCHDOG_TRIPPED;
        guard->detail = guard->silence_us > INT32_MAX ? INT32_MAX : (int32_t)guard->silence_us;
        return FW_WATCHDOG;
    }
    return FW_OK;
}

void fw_guard_command(struct fw_guard *guard, bool enable, bool alive)
{
    guard->wanted = enable;
    if (alive) {
        guard->silence_us = 0;
    }
    if (!enable) {
        fw_guard_disarm(guard);
        guard->off_seen = true;
    } else if (!guard->enabled && guard->off_seen && alive && guard->fault == FW_OK) {
        guard->enabled = true;
        guard->watchdog = FW_WATCHDOG_ARMED;
    }
}

enum fw_code fw_guard_clear(struct fw_guard *guard, uint8_t code)
{
    if (guard->fault == FW_OK || guard->fault != code) {
        return FW_NO_SUCH_FAULT;
    }
    if ((guard->live & LIVE_FAULTS) != 0U) {
        return FW_FAULT_PERSISTS;
    }
    guard->fault = FW_OK;
    guard->brake = false;
    fw_guard_disarm(guard);
    return FW_OK;
}

uint16_t fw_guard_status(const struct fw_guard *guard)
{
    uint32_t status = guard->live;

    if (guard->enabled) {
        status |= FW_STATUS_ENABLED;
    }
    if (guard->fault != FW_OK) {
        status |= FW_STATUS_FAULT;
    }
    if (guard->brake) {
        status |= FW_STATUS_BRAKE;
    }
    if (guard->wanted && !guard->enabled) {
        status |= FW_STATUS_EDGE_NEEDED;
    }
    return (uint16_t)status;
}
