/* Whether currents may flow at all: enable edge, watchdog, over-speed brake, temperature, voltage, runaway current. */
#ifndef FW_GUARD_H
#define FW_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "hardware.h"
#include "messages.h"

struct fw_guard {
    bool enabled;        /* currents flow */
    bool wanted;         /* what the last COMMAND asked for */
    bool off_seen;       /* enable was seen off since boot, trip or fault: the next on is an edge */
    bool brake;          /* windings are shorted, from over-speed until the fault is cleared */
    uint8_t watchdog;    /* enum fw_watchdog */
    uint8_t fault;       /* the first fault, latched; or FW_OK */
    uint16_t live;       /* status bits of what is wrong right now */
    int32_t detail;      /* of the newest event */
    uint32_t silence_us; /* since the heartbeat last changed; stays at its largest value */
    bool speed_known;
    int32_t speed_from[FW_MOTORS]; /* counts at the start of the speed window */
    uint32_t speed_us;             /* length of the window so far */
    uint32_t over_current_us;      /* how long a current has been far above its peak */
};

void fw_guard_reset(struct fw_guard *guard);

/* Looks at everything once; returns what newly happened: a fault, FW_WATCHDOG, or FW_OK. */
enum fw_code fw_guard_watch(struct fw_guard *guard, const struct fw_config *config, const struct fw_inputs *inputs,
                            uint32_t elapsed_us);

/* Takes the enable bit of an accepted COMMAND; `alive`: its heartbeat has moved on. */
void fw_guard_command(struct fw_guard *guard, bool enable, bool alive);

/* Takes the currents away until a fresh enable edge: new host, stop, start. */
void fw_guard_disarm(struct fw_guard *guard);

/* Forgets the latched fault if it is `code` and its cause is gone; FW_OK, FW_NO_SUCH_FAULT or FW_FAULT_PERSISTS. */
enum fw_code fw_guard_clear(struct fw_guard *guard, uint8_t code);

/* Bits of the STATE that the guard knows. */
uint16_t fw_guard_status(const struct fw_guard *guard);

#endif
