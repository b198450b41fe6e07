/* How much current each motor may have: the peak for a while, then the continuous current, by an I²t budget. */
#ifndef FW_LIMITS_H
#define FW_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "messages.h"

struct fw_limits {
    uint64_t spent[FW_MOTORS];  /* heat above what the continuous current makes [mA²·µs] */
    bool exhausted[FW_MOTORS];  /* the budget is used up; half of it must come back first */
};

void fw_limits_reset(struct fw_limits *limits);

/* Accounts for currents that flowed for a time [mA, µs]. */
void fw_limits_spend(struct fw_limits *limits, const struct fw_config *config, const int32_t flowing[FW_MOTORS],
                     uint32_t elapsed_us);

/* Cuts currents to what is allowed now [mA]; returns whether it had to. */
bool fw_limits_apply(const struct fw_limits *limits, const struct fw_config *config,
                     const int16_t wanted[FW_MOTORS], int16_t allowed[FW_MOTORS]);

bool fw_limits_exhausted(const struct fw_limits *limits);

#endif
