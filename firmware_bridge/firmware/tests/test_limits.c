/* Current limits and the I²t budget. */
#include "../core/limits.h"
#include "../core/syntaxer.h"
#include "check.h"

static struct fw_config config;
static struct fw_limits limits;

static void begin(void)
{
    config = fw_syntaxer;
    config.continuous[0] = 1000;
    config.peak[0] = 3000;
    config.peak_ms = 500;
    fw_limits_reset(&limits);
}

/* Current that motor 0 gets when it wants `wanted` for `steps` milliseconds [mA]. */
static int16_t run(int16_t wanted, int steps)
{
    int16_t all[FW_MOTORS] = {wanted};
    int16_t given[FW_MOTORS] = {0};

    for (int i = 0; i < steps; i++) {
        (void)fw_limits_apply(&limits, &config, all, given);
        const int32_t flowing[FW_MOTORS] = {given[0]};
        fw_limits_spend(&limits, &config, flowing, 1000U);
    }
    (void)fw_limits_apply(&limits, &config, all, given);
    return given[0];
}

static void a_current_within_the_continuous_one_flows_for_ever(void)
{
    begin();
    CHECK(run(1000, 100000) == 1000);
    CHECK(!fw_limits_exhausted(&limits));
}

static void the_peak_flows_for_its_time_and_then_the_continuous_current(void)
{
    begin();
    CHECK(run(3000, 499) == 3000);
    CHECK(run(3000, 2) == 1000);
    CHECK(fw_limits_exhausted(&limits));
    CHECK(run(-3000, 1) == -1000);
    CHECK(run(3000, 100000) == 1000);
}

static void a_smaller_excess_flows_longer(void)
{
    begin(); /* (2² − 1²) = 3 against (3² − 1²) = 8: 8/3 as long */
    CHECK(run(2000, 1330) == 2000);
    CHECK(run(2000, 10) == 1000);
}

static void half_the_budget_must_come_back_before_the_peak_does(void)
{
    begin();
    (void)run(3000, 600);
    CHECK(run(0, 1990) == 0); /* cooling 1² against 8 · 0.5 s: 4 s for all, 2 s for half */
    CHECK(run(3000, 0) == 1000);
    CHECK(run(0, 20) == 0);
    CHECK(run(3000, 0) == 3000);
    CHECK(!fw_limits_exhausted(&limits));
}

static void more_than_the_peak_is_cut_at_once_either_way(void)
{
    int16_t given[FW_MOTORS];
    const int16_t wanted[FW_MOTORS] = {INT16_MAX, INT16_MIN, 5, -5, 0, 0};

    begin();
    config.peak[1] = 2000;
    CHECK(fw_limits_apply(&limits, &config, wanted, given));
    CHECK(given[0] == 3000 && given[1] == -2000 && given[2] == 5 && given[3] == -5);
}

static void nothing_overflows(void)
{
    const int32_t most[FW_MOTORS] = {65535, -65535, 32768, -32768, 0, 0};

    begin();
    for (size_t i = 0; i < FW_MOTORS; i++) {
        config.peak[i] = UINT16_MAX;
    }
    config.peak_ms = UINT16_MAX;
    for (int i = 0; i < 100000; i++) {
        fw_limits_spend(&limits, &config, most, UINT32_MAX);
    }
    CHECK(limits.exhausted[0] && limits.exhausted[1] && limits.spent[4] == 0U);
}

static void a_peak_below_the_continuous_current_is_the_limit(void)
{
    begin();
    config.peak[0] = 500;
    CHECK(run(1000, 10) == 500);
}

int main(void)
{
    a_current_within_the_continuous_one_flows_for_ever();
    the_peak_flows_for_its_time_and_then_the_continuous_current();
    a_smaller_excess_flows_longer();
    half_the_budget_must_come_back_before_the_peak_does();
    more_than_the_peak_is_cut_at_once_either_way();
    nothing_overflows();
    a_peak_below_the_continuous_current_is_the_limit();
    return checks_end("limits");
}
