/* Reset and the vector table of a Cortex-M3. */
#include <stdint.h>

#include "board.h"

extern uint32_t data_start[];
extern uint32_t data_end[];
extern const uint32_t data_load[];
extern uint32_t bss_start[];
extern uint32_t bss_end[];
extern uint32_t stack_top[];

void reset(void);
int main(void);

static void halt(void)
{
    board_stop();
    for (;;) { /* an exception that should not be; a real board has its watchdog reset it from here */
    }
}

void reset(void)
{
    const uint32_t *from = data_load;

    for (uint32_t *to = data_start; to < data_end; to++) {
        *to = *from++;
    }
    for (uint32_t *to = bss_start; to < bss_end; to++) {
        *to = 0U;
    }
    (void)main();
    halt();
}

union vector {
    const uint32_t *stack;
    void (*handler)(void);
};

/* Stack, reset, fourteen of the core, then the chip's, of which two are used. */
#define CORE 16
#define UART0 5
#define TIMER0 19

__attribute__((section(".vectors"), used)) static const union vector vectors[CORE + TIMER0 + 1] = {
    [0] = {.stack = stack_top},
    [1] = {.handler = reset},
    [2] = {.handler = halt},  /* NMI */
    [3] = {.handler = halt},  /* hard fault: all others escalate to it, since none is enabled */
    [CORE + UART0] = {.handler = board_receive},
    [CORE + TIMER0] = {.handler = board_wake},
};
