/* The firmware's hardware layer on an LM3S6965: UART0 is the line, SysTick the clock,
   timer 0 wakes it; six free rotors stand in for motors. */
#ifndef FW_ARM_BOARD_H
#define FW_ARM_BOARD_H

#include "../core/hardware.h"

extern const struct fw_hardware board_hardware;

void board_start(void);
void board_stop(void);  /* no currents, whatever else is broken */
void board_sleep(void); /* until the next byte, or for 125 µs */

void board_receive(void); /* interrupt handlers */
void board_wake(void);

#endif
