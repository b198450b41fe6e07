#include "limits.h"

#include <string.h>

#define LONGEST_STEP_US 100000U /* a longer gap is counted as this one, so that no product overflows */

static uint64_t square(uint64_t value)
{
    return value * value;
}

static uint64_t budget(const struct fw_config *config, size_t motor)
{
    const uint64_t peak = square(config->peak[motor]);
    const uint64_t continuous = square(config->continuous[motor]);
    return peak > continuous ? (peak - continuous) * config->peak_ms * 1000U : 0U;
}

void fw_limits_reset(struct fw_limits *limits)
{
    memset(limits, 0, sizeof *limits);
}

static void spend(struct fw_limits *limits, const struct fw_config *config, size_t motor, uint64_t flowing,
                  uint64_t elapsed_us)
{
    const uint64_t heat = square(flowing) * elapsed_us;
    const uint64_t cooling = square(config->continuous[motor]) * elapsed_us;
    const uint64_t most = budget(config, motor);
    uint64_t spent = limits->spent[motor] + heat;

    spent = spent > cooling ? spent - cooling : 0U;
    limits->spent[motor] = spent < most ? spent : most;
    if (limits->spent[motor] == most) {
        limits->exhausted[motor] = true;
    } else if (limits->spent[motor] <= most / 2U) { /* not at once, or the force would chatter */
        limits->exhausted[motor] = false;
    }
}

void fw_limits_spend(struct fw_limits *limits, const struct fw_config *config, const int32_t flowing[FW_MOTORS],
                     uint32_t elapsed_us)
{
    const uint32_t elapsed = elapsed_us < LONGEST_STEP_US ? elapsed_us : LONGEST_STEP_US;

    for (size_t i = 0; i < FW_MOTORS; i++) {
        const int32_t magnitude = flowing[i] < 0 ? -flowing[i] : flowing[i];
        spend(limits, config, i, (uint64_t)magnitude, elapsed);
    }
}

bool fw_limits_apply(const struct fw_limits *limits, const struct fw_config *config,
                     const int16_t wanted[FW_MOTORS], int16_t allowed[FW_MOTORS])
{
    bool cut = false;

    for (size_t i = 0; i < FW_MOTORS; i++) {
        int32_t most = config->peak[i];
        if (limits->exhausted[i] && config->continuous[i] < most) {
            most = config->continuous[i];
        }
        int32_t value = wanted[i];
        value = value > most ? most : value;
        value = value < -most ? -most : value;
        cut = cut || value != wanted[i];
        allowed[i] = (int16_t)value;
    }
    return cut;
}

bool fw_limits_exhausted(const struct fw_limits *limits)
{
    bool any = false;

    for (size_t i = 0; i < FW_MOTORS; i++) {
        any = any || limits->exhausted[i];
    }
    return any;
}
