#include "board.h"

#include <string.h>

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

#define RCGC1 REGISTER(0x400FE104U) /* clock gates */
#define GATE_UART0 (1U << 0)
#define GATE_TIMER0 (1U << 16)
#define UART_DATA REGISTER(0x4000C000U)
#define UART_FLAGS REGISTER(0x4000C018U)
#define UART_LINE REGISTER(0x4000C02CU)
#define UART_CONTROL REGISTER(0x4000C030U)
#define UART_MASK REGISTER(0x4000C038U)
#define UART_CLEAR REGISTER(0x4000C044U)
#define FLAG_RX_EMPTY (1U << 4)
#define FLAG_TX_FULL (1U << 5)
#define LINE_8_BITS_FIFO 0x70U
#define CONTROL_ON 0x301U           /* UART, transmitter, receiver */
#define INTERRUPT_RX 0x50U          /* bytes there, or a few and then a pause */
#define UART_IRQ 5U

#define TIMER_MODE REGISTER(0x40030004U)
#define TIMER_CONTROL REGISTER(0x4003000CU)
#define TIMER_MASK REGISTER(0x40030018U)
#define TIMER_CLEAR REGISTER(0x40030024U)
#define TIMER_RELOAD REGISTER(0x40030028U)
#define TIMER_IRQ 19U

#define SYSTICK_CONTROL REGISTER(0xE000E010U)
#define SYSTICK_RELOAD REGISTER(0xE000E014U)
#define SYSTICK_VALUE REGISTER(0xE000E018U)
#define IRQ_ENABLE REGISTER(0xE000E100U)

#define SYSTICK_MASK 0xFFFFFFU
#define HALF_CYCLES_PER_US 25U /* of 12.5 MHz, the clock after reset */
#define WAKE_CYCLES 1562U      /* 125 µs: twice per STATE at 4 kHz */
#define RX_SIZE 1024U         /* a power of two */
#define HEAVY 65536           /* how hard a rotor is to turn */

static uint32_t clock_us;
static uint32_t clock_counter; /* SysTick at the last call */
static uint32_t half_cycles;   /* that do not make a whole microsecond yet */

static volatile uint8_t rx[RX_SIZE];
static volatile uint32_t rx_in;  /* written by the interrupt only */
static volatile uint32_t rx_out; /* written by the main loop only */

static int16_t motor_currents[FW_MOTORS];
static int32_t rotor_places[FW_MOTORS]; /* [1/HEAVY counts] */
static uint32_t rotors_moved_us;

void board_wake(void)
{
    TIMER_CLEAR = 1U; /* that the processor runs again is all that is wanted */
}

void board_receive(void)
{
    UART_CLEAR = INTERRUPT_RX;
    while ((UART_FLAGS & FLAG_RX_EMPTY) == 0U) {
        const uint8_t byte = (uint8_t)(UART_DATA & 0xFFU);
        if (rx_in - rx_out < RX_SIZE) { /* full: the byte is lost, and the CRC will tell */
            rx[rx_in % RX_SIZE] = byte;
            rx_in++;
        }
    }
}

void board_start(void)
{
    RCGC1 |= GATE_UART0 | GATE_TIMER0;
    UART_LINE = LINE_8_BITS_FIFO;
    UART_CONTROL = CONTROL_ON;
    UART_MASK = INTERRUPT_RX;
    TIMER_MODE = 2U; /* periodic */
    TIMER_RELOAD = WAKE_CYCLES;
    TIMER_MASK = 1U;
    TIMER_CONTROL = 1U;
    IRQ_ENABLE = (1U << UART_IRQ) | (1U << TIMER_IRQ);
    SYSTICK_RELOAD = SYSTICK_MASK;
    SYSTICK_VALUE = 0U;
    SYSTICK_CONTROL = 5U; /* core clock, on, no interrupt */
    clock_counter = SYSTICK_VALUE;
}

void board_stop(void)
{
    memset(motor_currents, 0, sizeof motor_currents);
}

void board_sleep(void)
{
    __asm__ volatile("wfi");
}

/* Counts the cycles that went by since the last call; it must come more often than the counter wraps (1.3 s). Adding up
   interrupts instead would lose time whenever one is late. */
static uint32_t time_us(void *context)
{
    const uint32_t counter = SYSTICK_VALUE;

    (void)context;
    half_cycles += 2U * ((clock_counter - counter) & SYSTICK_MASK); /* it counts down */
    clock_counter = counter;
    clock_us += half_cycles / HALF_CYCLES_PER_US;
    half_cycles %= HALF_CYCLES_PER_US;
    return clock_us;
}

static void read_encoders(void *context, int32_t counts[FW_MOTORS])
{
    const uint32_t elapsed_us = clock_us - rotors_moved_us;

    (void)context;
    rotors_moved_us = clock_us;
    for (size_t i = 0; i < FW_MOTORS; i++) {
        rotor_places[i] = (int32_t)((uint32_t)rotor_places[i] + (uint32_t)motor_currents[i] * elapsed_us);
        counts[i] = rotor_places[i] / HEAVY;
    }
}

static void read_adc(void *context, int16_t currents[FW_MOTORS], int16_t *temperature, uint16_t *supply)
{
    (void)context;
    memcpy(currents, motor_currents, sizeof motor_currents);
    *temperature = 2500;
    *supply = 24000;
}

static void read_handle(void *context, uint8_t *buttons, uint16_t *grip)
{
    (void)context;
    *buttons = 0;
    *grip = 0;
}

static void set_motors(void *context, const int16_t currents[FW_MOTORS], bool brake)
{
    (void)context;
    (void)brake; /* a rotor without current stands still anyway */
    memcpy(motor_currents, currents, sizeof motor_currents);
}

static void set_led(void *context, uint8_t led)
{
    (void)context;
    (void)led;
}

static size_t uart_read(void *context, uint8_t *data, size_t capacity)
{
    size_t count = 0;

    (void)context;
    while (count < capacity && rx_out != rx_in) {
        data[count++] = rx[rx_out % RX_SIZE];
        rx_out++;
    }
    return count;
}

static size_t uart_write(void *context, const uint8_t *data, size_t length)
{
    size_t count = 0;

    (void)context;
    while (count < length && (UART_FLAGS & FLAG_TX_FULL) == 0U) {
        UART_DATA = data[count++];
    }
    return count;
}

const struct fw_hardware board_hardware = {
    .time_us = time_us,
    .read_encoders = read_encoders,
    .read_adc = read_adc,
    .read_handle = read_handle,
    .set_motors = set_motors,
    .set_led = set_led,
    .uart_read = uart_read,
    .uart_write = uart_write,
};
