/* A witness of the machine: tells when one of its processors stood still.

   stalls PROCESSOR PERIOD_NS LEAST_NS PRIORITY    wakes up each period, above everybody else of SCHED_FIFO, and prints a
   line for each wake-up that came LEAST_NS too late or more: when it was due and when it came [ns, CLOCK_MONOTONIC].
   With priority 0 it is an ordinary program, and tells when those had to wait.
   It ends with its parent. */
#define _GNU_SOURCE

#include <errno.h>
#include <sched.h>
#include <signal.h>
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

int main(int count_of_words, char **words)
{
    if (count_of_words != 5) {
        fprintf(stderr, "usage: stalls PROCESSOR PERIOD_NS LEAST_NS PRIORITY\n");
        return 2;
    }
    const int64_t period = atol(words[2]), least = atol(words[3]);
    const struct sched_param priority = {.sched_priority = atoi(words[4])};
    cpu_set_t processor;
    CPU_ZERO(&processor);
    CPU_SET((size_t)atoi(words[1]), &processor);
    if (period <= 0 || sched_setaffinity(0, sizeof processor, &processor) != 0) {
        perror("stalls: no such processor");
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
    mlockall(MCL_CURRENT | MCL_FUTURE);
    if (priority.sched_priority > 0 && sched_setscheduler(0, SCHED_FIFO, &priority) != 0) {
        perror("stalls: no SCHED_FIFO");
        return 3;
    }
    for (int64_t due = now_ns();;) {
        due += period;
        const struct timespec then = {(time_t)(due / 1000000000), (long)(due % 1000000000)};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL) == EINTR) {
        }
        const int64_t now = now_ns();
        if (now - due >= least) {
            printf("%lld %lld\n", (long long)due, (long long)now);
            fflush(stdout);
            due = now;
        }
    }
}
