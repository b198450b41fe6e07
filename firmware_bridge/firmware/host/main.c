/* The firmware as a process of its own: opens a pty, prints the name of its far side, and is a syntaxer on it.
   The plant is six free rotors. Usage: firmware [seconds] */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 600

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "library.h"

#define STEP_NS 125000U   /* twice per STATE at 4 kHz [ns] */
#define PUSH 400.0        /* of a current [counts/s² per mA] */
#define DRAG 20.0         /* [1/s] */

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static void sleep_until(uint64_t moment)
{
    const struct timespec then = {(time_t)(moment / 1000000000U), (long)(moment % 1000000000U)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL);
}

/* Both ends of a raw pty; the far one stays open here too, so that a client may come and go. */
static int open_pty(int *far_side)
{
    const int near_side = posix_openpt(O_RDWR | O_NOCTTY);
    struct termios settings;

    if (near_side < 0 || grantpt(near_side) != 0 || unlockpt(near_side) != 0) {
        return -1;
    }
    *far_side = open(ptsname(near_side), O_RDWR | O_NOCTTY);
    if (*far_side < 0 || tcgetattr(*far_side, &settings) != 0) {
        return -1;
    }
    cfmakeraw(&settings);
    tcsetattr(*far_side, TCSANOW, &settings);
    fcntl(near_side, F_SETFL, O_NONBLOCK);
    return near_side;
}

static void move_rotors(struct fw_plant_io *io, double speed[FW_MOTORS], double place[FW_MOTORS], double seconds)
{
    for (size_t i = 0; i < FW_MOTORS; i++) {
        const double drag = io->brake != 0U ? 50.0 * DRAG : DRAG;
        speed[i] += seconds * (PUSH * (double)io->given[i] - drag * speed[i]);
        place[i] += seconds * speed[i];
        io->counts[i] = (int32_t)(uint32_t)(uint64_t)(int64_t)place[i];
        io->currents[i] = io->given[i];
    }
}

/* Sends what the pty takes; a real line would lose what nobody reads, and so does this one. */
static void send_all(int line, const uint8_t *bytes, size_t length)
{
    while (length > 0U) {
        const ssize_t sent = write(line, bytes, length);
        if (sent <= 0) {
            return;
        }
        bytes += sent;
        length -= (size_t)sent;
    }
}

static void run(int line, double seconds)
{
    static struct fw_host host;
    struct fw_plant_io io = {.temperature = 2500, .supply = 24000};
    double speed[FW_MOTORS] = {0};
    double place[FW_MOTORS] = {0};
    uint8_t rx[512];
    uint8_t tx[4096];
    const uint64_t start = now_ns();
    uint64_t before = start;
    uint64_t next = start;

    fw_host_new(&host, &io, 0U, NULL);
    while (seconds <= 0.0 || (double)(before - start) < seconds * 1e9) {
        const uint64_t now = now_ns();
        const ssize_t received = read(line, rx, sizeof rx);
        move_rotors(&io, speed, place, (double)(now - before) * 1e-9);
        before = now;
        const size_t length = fw_host_step(&host, &io, (uint32_t)((now - start) / 1000U), rx,
                                           received > 0 ? (size_t)received : 0U, tx, sizeof tx);
        send_all(line, tx, length);
        sleep_until(next += STEP_NS);
        if (now_ns() > next + 8U * STEP_NS) { /* late steps are skipped, not made up */
            next = now_ns();
        }
    }
}

int main(int count, char **words)
{
    int far_side = -1;
    const int line = open_pty(&far_side);

    if (line < 0) {
        perror("firmware: no pty");
        return EXIT_FAILURE;
    }
    printf("%s\n", ptsname(line));
    fflush(stdout);
    run(line, count > 1 ? strtod(words[1], NULL) : 0.0);
    close(far_side);
    close(line);
    return EXIT_SUCCESS;
}
