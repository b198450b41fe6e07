/* What the payloads of version 1 mean; docs/protocol_syntaxer.md has the byte tables. */
#ifndef FW_MESSAGES_H
#define FW_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

#define FW_MOTORS 6U
#define FW_TEXT 16U     /* bytes of a text, filled up with zeros */
#define FW_GEOMETRY 39U /* numbers that tell the geometry: three chains of 6, three struts of 7 */

enum fw_type {
    FW_HELLO = 0x01, /* host → device */
    FW_START = 0x02,
    FW_STOP = 0x03,
    FW_COMMAND = 0x04,
    FW_CLEAR_FAULT = 0x05,
    FW_IDENTITY = 0x81, /* device → host */
    FW_STATE = 0x82,
    FW_ERROR = 0x83,
};

enum fw_size { /* of the payloads */
    FW_HELLO_SIZE = 0,
    FW_START_SIZE = 2,
    FW_STOP_SIZE = 0,
    FW_COMMAND_SIZE = 16,
    FW_CLEAR_FAULT_SIZE = 1,
    FW_IDENTITY_SIZE = 364,
    FW_STATE_SIZE = 51,
    FW_ERROR_SIZE = 8,
};

enum fw_status {
    FW_STATUS_ENABLED = 1 << 0,          /* currents flow as commanded */
    FW_STATUS_LIMITED = 1 << 1,          /* a current was cut since the last STATE */
    FW_STATUS_PEAK_SPENT = 1 << 2,       /* a motor has used up its time above the continuous current */
    FW_STATUS_FAULT = 1 << 3,            /* latched: see the error code */
    FW_STATUS_BRAKE = 1 << 4,            /* windings are shorted */
    FW_STATUS_EDGE_NEEDED = 1 << 5,      /* enable is asked for, but was not first seen off */
    FW_STATUS_OVER_SPEED = 1 << 6,       /* right now, as are the next three */
    FW_STATUS_OVER_TEMPERATURE = 1 << 7,
    FW_STATUS_UNDER_VOLTAGE = 1 << 8,
    FW_STATUS_OVER_CURRENT = 1 << 9,
    FW_STATUS_REFUSED = 1 << 10,         /* a frame of the host was refused since the last STATE */
    FW_STATUS_OVERRUN = 1 << 11,         /* a STATE was left out since the last one: line or main loop too slow */
};

enum fw_watchdog {
    FW_WATCHDOG_IDLE = 0,    /* not enabled: nothing to watch */
    FW_WATCHDOG_ARMED = 1,   /* enabled: commands must come */
    FW_WATCHDOG_TRIPPED = 2, /* they did not; until enable is seen off and on again */
};

enum fw_code {
    FW_OK = 0,
    FW_OVER_SPEED = 1, /* faults: latched until cleared */
    FW_OVER_TEMPERATURE = 2,
    FW_UNDER_VOLTAGE = 3,
    FW_OVER_CURRENT = 4,
    FW_WATCHDOG = 16, /* event: latched until a fresh enable edge */
    FW_BAD_FRAME = 32, /* refusals: the frame had no effect */
    FW_UNSUPPORTED_VERSION = 33,
    FW_UNKNOWN_TYPE = 34,
    FW_BAD_LENGTH = 35,
    FW_BAD_VALUE = 36,
    FW_NOT_STREAMING = 37,
    FW_STALE_COMMAND = 38,
    FW_NO_SUCH_FAULT = 39,
    FW_FAULT_PERSISTS = 40,
};

#define FW_COMMAND_ENABLE 0x01U /* the only flag of a COMMAND */
#define FW_LED_MAX 7U           /* bits: red, green, blue */

struct fw_command {
    bool enable;
    uint8_t led;
    uint16_t heartbeat; /* counts the ticks of the host's servo: only a change feeds the watchdog */
    int16_t currents[FW_MOTORS]; /* [mA] */
};

struct fw_state {
    uint16_t command_sequence;   /* of the last COMMAND that was accepted */
    uint16_t command_age;        /* since then [µs]; 65535: longer, or none yet */
    uint16_t status;             /* enum fw_status */
    uint8_t watchdog;            /* enum fw_watchdog */
    uint8_t error;               /* fault that is latched, or FW_OK */
    uint8_t refused;             /* frames refused since boot, modulo 256 */
    uint8_t buttons;             /* bit i: button i is down */
    uint16_t grip;               /* 0 open … 65535 closed */
    int16_t temperature;         /* [0.01 °C] */
    uint8_t supply;              /* [0.25 V] */
    int32_t counts[FW_MOTORS];   /* encoders, wrap */
    int16_t currents[FW_MOTORS]; /* measured [mA] */
};

struct fw_error {
    uint8_t code;      /* enum fw_code */
    uint8_t type;      /* of the frame that caused it; 0: none did */
    uint16_t sequence; /* of that frame, or of the last accepted COMMAND */
    int32_t detail;    /* see the table of error codes */
};

/* What this device is: it tells the host all of it, and lives by it. */
struct fw_config {
    uint8_t firmware[3]; /* major, minor, patch */
    char model[FW_TEXT];
    char serial_number[FW_TEXT];
    char calibration[FW_TEXT];
    uint8_t buttons;                      /* how many */
    uint16_t rate_min;                    /* [Hz] */
    uint16_t rate_max;                    /* [Hz] */
    uint16_t watchdog_ms;                 /* longest silence while enabled [ms] */
    uint16_t peak_ms;                     /* how long the peak current may flow, from cold [ms] */
    int16_t temperature_max;              /* [0.01 °C] */
    uint16_t supply_min;                  /* [mV] */
    int32_t geometry[FW_GEOMETRY];        /* in the order of the document [0.1 µm, 0.1 µrad] */
    uint32_t counts_per_turn[FW_MOTORS];  /* of the motor */
    float ratio[FW_MOTORS];               /* turns of the motor per turn of the joint or spool */
    float torque_constant[FW_MOTORS];     /* [N·m/A] */
    uint16_t continuous[FW_MOTORS];       /* current for ever [mA] */
    uint16_t peak[FW_MOTORS];             /* current for a moment [mA] */
    uint32_t speed_max[FW_MOTORS];        /* [counts/s] */
    int32_t home[FW_MOTORS];              /* counts at the zero of the joint */
};

/* Payload size that a type must have in this version, or -1 for a type that does not exist. */
int fw_payload_size(uint8_t type);

/* Each pack function fills payload, length and type of a frame; each unpack function trusts that the length fits. */
void fw_pack_command(const struct fw_command *command, struct fw_frame *frame);
void fw_pack_start(uint16_t rate, struct fw_frame *frame);
void fw_pack_clear_fault(uint8_t code, struct fw_frame *frame);
void fw_pack_state(const struct fw_state *state, struct fw_frame *frame);
void fw_pack_error(const struct fw_error *error, struct fw_frame *frame);
void fw_pack_identity(const struct fw_config *config, struct fw_frame *frame);

/* False: a flag or an LED colour that this version does not know. */
bool fw_unpack_command(const struct fw_frame *frame, struct fw_command *command);
uint16_t fw_unpack_start(const struct fw_frame *frame);
uint8_t fw_unpack_clear_fault(const struct fw_frame *frame);
void fw_unpack_state(const struct fw_frame *frame, struct fw_state *state);
void fw_unpack_error(const struct fw_frame *frame, struct fw_error *error);
void fw_unpack_identity(const struct fw_frame *frame, struct fw_config *config);

#endif
