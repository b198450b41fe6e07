/* All that the firmware asks of a board: eight functions, none of which may wait.

   The guard can act only while fw_poll is called. So a board lets its own hardware watchdog take the currents away when
   set_motors has not been called for some milliseconds. */
#ifndef FW_HARDWARE_H
#define FW_HARDWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "messages.h"

struct fw_inputs {
    int32_t counts[FW_MOTORS];   /* encoders, wrap */
    int16_t currents[FW_MOTORS]; /* measured [mA] */
    int16_t temperature;         /* hottest of motors and power stage [0.01 °C] */
    uint16_t supply;             /* of the motors [mV] */
    uint16_t grip;               /* 0 open … 65535 closed */
    uint8_t buttons;             /* bit i: button i is down */
};

struct fw_hardware {
    void *context; /* handed to every function */
    uint32_t (*time_us)(void *context);
    void (*read_encoders)(void *context, int32_t counts[FW_MOTORS]);
    void (*read_adc)(void *context, int16_t currents[FW_MOTORS], int16_t *temperature, uint16_t *supply);
    void (*read_handle)(void *context, uint8_t *buttons, uint16_t *grip);
    void (*set_motors)(void *context, const int16_t currents[FW_MOTORS], bool brake); /* brake: short the windings */
    void (*set_led)(void *context, uint8_t led);
    size_t (*uart_read)(void *context, uint8_t *data, size_t capacity);      /* how many there were */
    size_t (*uart_write)(void *context, const uint8_t *data, size_t length); /* how many it took */
};

#endif
