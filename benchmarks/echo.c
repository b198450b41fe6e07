/* A bare echo on a pty and a client for it: what the kernel alone takes for a frame there and back.

   echo server                               opens a pty, prints the name of its far side, sends back all that comes
   echo client NAME COUNT PERIOD_NS BYTES    sends BYTES every PERIOD_NS and looks for them without pause; prints, for
                                             each, round trip and lateness of the wake-up [ns] */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 600

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define LONGEST 4096L
#define PATIENCE_NS 1000000000L

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + (int64_t)now.tv_nsec;
}

static void sleep_until(int64_t moment)
{
    const struct timespec then = {(time_t)(moment / 1000000000), (long)(moment % 1000000000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL) == EINTR) {
    }
}

static int make_raw(int line)
{
    struct termios settings;
    if (line < 0 || tcgetattr(line, &settings) != 0) {
        return -1;
    }
    cfmakeraw(&settings);
    return tcsetattr(line, TCSANOW, &settings);
}

static int serve(void)
{
    char bytes[LONGEST];
    const int near_side = posix_openpt(O_RDWR | O_NOCTTY);
    if (near_side < 0 || grantpt(near_side) != 0 || unlockpt(near_side) != 0) {
        perror("echo: no pty");
        return EXIT_FAILURE;
    }
    const int far_side = open(ptsname(near_side), O_RDWR | O_NOCTTY); /* kept, so that a client may come and go */
    if (make_raw(far_side) != 0) {
        perror("echo: no pty");
        return EXIT_FAILURE;
    }
    printf("%s\n", ptsname(near_side));
    fflush(stdout);
    for (;;) {
        const ssize_t length = read(near_side, bytes, sizeof bytes);
        if (length <= 0 || write(near_side, bytes, (size_t)length) != length) {
            return EXIT_FAILURE;
        }
    }
}

/* 0 when all came back; -1 when it took longer than any link may. */
static int round_trip(int line, char *bytes, long length)
{
    const int64_t end = now_ns() + PATIENCE_NS;
    long back = 0;
    if (write(line, bytes, (size_t)length) != length) {
        return -1;
    }
    while (back < length) {
        const ssize_t got = read(line, bytes, (size_t)(length - back));
        back += got > 0 ? (long)got : 0;
        if (now_ns() > end) {
            return -1;
        }
    }
    return 0;
}

static int ask(const char *name, long count, long period, long length)
{
    static char bytes[LONGEST];
    int64_t *figures = calloc((size_t)count, 2 * sizeof *figures);
    const int line = open(name, O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (figures == NULL || length > LONGEST || make_raw(line) != 0) {
        perror("echo: cannot ask");
        return EXIT_FAILURE;
    }
    memset(bytes, 1, sizeof bytes);
    int64_t due = now_ns();
    for (long i = 0; i < count; i++) {
        due += period;
        sleep_until(due);
        const int64_t begin = now_ns();
        if (round_trip(line, bytes, length) != 0) {
            fprintf(stderr, "echo: no answer\n");
            return EXIT_FAILURE;
        }
        const int64_t end = now_ns();
        figures[2 * i] = end - begin;
        figures[2 * i + 1] = begin - due;
        due = end - due > period ? end : due; /* late rounds are skipped, not made up */
    }
    for (long i = 0; i < count; i++) {
        printf("%lld %lld\n", (long long)figures[2 * i], (long long)figures[2 * i + 1]);
    }
    free(figures);
    return EXIT_SUCCESS;
}

int main(int count, char **words)
{
    if (count == 2 && strcmp(words[1], "server") == 0) {
        return serve();
    }
    if (count == 6 && strcmp(words[1], "client") == 0) {
        return ask(words[2], strtol(words[3], NULL, 10), strtol(words[4], NULL, 10), strtol(words[5], NULL, 10));
    }
    fprintf(stderr, "usage: echo server | echo client NAME COUNT PERIOD_NS BYTES\n");
    return EXIT_FAILURE;
}
