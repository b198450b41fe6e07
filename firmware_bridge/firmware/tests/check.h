/* The least that a unit test needs: say what failed and where, go on, count. */
#ifndef FW_CHECK_H
#define FW_CHECK_H

#include <stdio.h>

static int checks_made;
static int checks_failed;

#define CHECK(condition)                                                           \
    do {                                                                           \
        checks_made++;                                                             \
        if (!(condition)) {                                                        \
            checks_failed++;                                                       \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
        }                                                                          \
    } while (0)

static inline int checks_end(const char *name)
{
    printf("%s: %d checks, %d failed\n", name, checks_made, checks_failed);
    return checks_failed == 0 && checks_made > 0 ? 0 : 1;
}

#endif
