/* The device side of the protocol: call fw_init once and fw_poll for ever. */
#ifndef FW_FIRMWARE_H
#define FW_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"
#include "guard.h"
#include "hardware.h"
#include "limits.h"
#include "messages.h"
#include "queue.h"

/* All that one device knows; several may live side by side. Only the functions below look inside. */
struct fw {
    struct fw_config config;
    struct fw_hardware hardware;
    struct fw_inputs inputs;
    struct fw_guard guard;
    struct fw_limits limits;
    struct fw_receiver receiver;
    struct fw_queue queue;
    struct fw_frame frame; /* the one being read or written: too large for a small stack */

    uint32_t now_us;
    int16_t wanted[FW_MOTORS]; /* by the last COMMAND [mA] */
    int16_t given[FW_MOTORS];  /* to the motors, after the limits [mA] */
    uint8_t led;

    bool command_known;
    uint16_t command_sequence;
    uint16_t heartbeat;
    uint32_t command_age_us; /* stays at its largest value */

    bool streaming;
    uint16_t rate;     /* [Hz] */
    uint32_t due_us;   /* when the next STATE is to be made */
    uint16_t fraction; /* what the whole microseconds of the period leave over, in 1/rate µs */
    uint16_t since;    /* status bits that tell of anything since the last STATE */

    uint16_t state_sequence;
    uint16_t identity_sequence;
    uint16_t error_sequence;
    uint32_t refused;
    uint32_t quiet_us; /* since the last ERROR about a refusal */
};

void fw_init(struct fw *fw, const struct fw_config *config, const struct fw_hardware *hardware);

/* One turn of the main loop: look, guard, listen, drive, speak. Never waits. */
void fw_poll(struct fw *fw);

#endif
