/* The yardstick for wake-ups: a loop on absolute time and nothing else.

   wakeup COUNT PERIOD_NS PRIORITY SPIN_NS    PRIORITY of SCHED_FIFO, 0 for none; prints the lateness of each wake-up [ns] */
#define _GNU_SOURCE

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

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

int main(int count_of_words, char **words)
{
    if (count_of_words != 5) {
        fprintf(stderr, "usage: wakeup COUNT PERIOD_NS PRIORITY SPIN_NS\n");
        return 2;
    }
    const long count = atol(words[1]);
    const int64_t period = atol(words[2]), spin = atol(words[4]);
    const struct sched_param priority = {.sched_priority = atoi(words[3])};
    int64_t *const late = malloc((size_t)count * sizeof *late);
    if (count <= 0 || period <= 0 || late == NULL) {
        return 2;
    }
    prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        perror("wakeup: memory is not locked");
    }
    if (priority.sched_priority > 0 && sched_setscheduler(0, SCHED_FIFO, &priority) != 0) {
        perror("wakeup: no SCHED_FIFO");
        return 3;
    }
    int64_t deadline = now_ns();
    for (long i = 0; i < count; i++) {
        deadline += period;
        sleep_until(deadline - spin);
        int64_t now = now_ns();
        while (now < deadline) {
            now = now_ns();
        }
        late[i] = now - deadline;
        if (now > deadline + period) { /* skip, do not catch up: as the servo does */
            deadline += (now - deadline) / period * period;
        }
    }
    for (long i = 0; i < count; i++) {
        printf("%lld\n", (long long)late[i]);
    }
    free(late);
    return 0;
}
