/* Enable edge, watchdog and faults, without the line. */
#include "../core/guard.h"
#include "../core/syntaxer.h"
#include "check.h"

#include <string.h>

static struct fw_guard guard;
static struct fw_inputs inputs;

static void begin(void)
{
    memset(&inputs, 0, sizeof inputs);
    inputs.temperature = 2500;
    inputs.supply = 24000;
    fw_guard_reset(&guard);
}

static enum fw_code wait(uint32_t us)
{
    return fw_guard_watch(&guard, &fw_syntaxer, &inputs, us);
}

static void enable(void)
{
    fw_guard_command(&guard, false, true);
    fw_guard_command(&guard, true, true);
    CHECK(guard.enabled && guard.watchdog == FW_WATCHDOG_ARMED);
}

static void enable_needs_an_edge(void)
{
    begin();
    fw_guard_command(&guard, true, true);
    CHECK(!guard.enabled && (fw_guard_status(&guard) & FW_STATUS_EDGE_NEEDED) != 0U);
    enable();
    CHECK((fw_guard_status(&guard) & FW_STATUS_EDGE_NEEDED) == 0U);
    fw_guard_command(&guard, false, true);
    CHECK(!guard.enabled && guard.watchdog == FW_WATCHDOG_IDLE);
}

static void the_watchdog_trips_after_20_ms_of_silence(void)
{
    begin();
    enable();
    CHECK(wait(19999) == FW_OK && guard.enabled);
    CHECK(wait(1) == FW_WATCHDOG && !guard.enabled && guard.detail == 20000);
    CHECK(guard.watchdog == FW_WATCHDOG_TRIPPED);
    CHECK(wait(100000) == FW_OK); /* tells it once */
    fw_guard_command(&guard, true, true);
    CHECK(!guard.enabled && guard.watchdog == FW_WATCHDOG_TRIPPED);
    fw_guard_command(&guard, false, true);
    CHECK(guard.watchdog == FW_WATCHDOG_TRIPPED);
    fw_guard_command(&guard, true, true);
    CHECK(guard.enabled && guard.watchdog == FW_WATCHDOG_ARMED);
}

static void a_heartbeat_that_stands_still_feeds_nothing(void)
{
    begin();
    enable();
    for (int i = 0; i < 19; i++) {
        CHECK(wait(1000) == FW_OK);
        fw_guard_command(&guard, true, false);
    }
    CHECK(wait(1000) == FW_WATCHDOG);
}

static void commands_keep_it_enabled(void)
{
    begin();
    enable();
    for (int i = 0; i < 1000; i++) {
        CHECK(wait(19000) == FW_OK);
        fw_guard_command(&guard, true, true);
    }
    CHECK(guard.enabled);
}

static void nothing_is_watched_while_not_enabled(void)
{
    begin();
    CHECK(wait(UINT32_MAX) == FW_OK && wait(UINT32_MAX) == FW_OK);
    CHECK(guard.watchdog == FW_WATCHDOG_IDLE);
}

static void over_speed_brakes_until_cleared(void)
{
    begin();
    CHECK(wait(1000) == FW_OK);
    enable();
    inputs.counts[2] += 100; /* exactly the limit: 100,000 counts/s */
    CHECK(wait(1000) == FW_OK && guard.enabled);
    inputs.counts[2] -= 101;
    CHECK(wait(1000) == FW_OVER_SPEED && guard.detail == 2 && guard.brake && !guard.enabled);
    CHECK((fw_guard_status(&guard) & (FW_STATUS_BRAKE | FW_STATUS_FAULT | FW_STATUS_OVER_SPEED)) ==
          (FW_STATUS_BRAKE | FW_STATUS_FAULT | FW_STATUS_OVER_SPEED));
    fw_guard_command(&guard, false, true);
    fw_guard_command(&guard, true, true);
    CHECK(!guard.enabled);
    CHECK(fw_guard_clear(&guard, FW_OVER_SPEED) == FW_FAULT_PERSISTS);
    CHECK(wait(1000) == FW_OK && guard.brake);
    CHECK(fw_guard_clear(&guard, FW_UNDER_VOLTAGE) == FW_NO_SUCH_FAULT);
    CHECK(fw_guard_clear(&guard, FW_OVER_SPEED) == FW_OK && !guard.brake);
    CHECK(fw_guard_clear(&guard, FW_OVER_SPEED) == FW_NO_SUCH_FAULT);
    fw_guard_command(&guard, true, true);
    CHECK(!guard.enabled); /* an edge is needed here too */
    enable();
}

static void speed_is_seen_across_the_wrap_of_a_counter(void)
{
    begin();
    inputs.counts[0] = INT32_MAX;
    CHECK(wait(1000) == FW_OK);
    inputs.counts[0] = INT32_MIN;
    CHECK(wait(1000) == FW_OK);
    inputs.counts[0] = INT32_MIN + 101;
    CHECK(wait(1000) == FW_OVER_SPEED);
}

static void a_single_count_in_a_short_time_is_not_a_speed(void)
{
    begin();
    CHECK(wait(1000) == FW_OK);
    for (int i = 0; i < 1000; i++) {
        inputs.counts[0] += (i % 2) * 2 - 1;
        CHECK(wait(1) == FW_OK);
    }
}

static void over_speed_brakes_whatever_else_is_wrong(void)
{
    begin();
    inputs.supply = 0;
    CHECK(wait(1000) == FW_UNDER_VOLTAGE && !guard.brake);
    inputs.counts[0] = 500;
    CHECK(wait(1000) == FW_OK && guard.brake && guard.fault == FW_UNDER_VOLTAGE);
}

static void heat_is_a_fault_until_it_has_cooled_down(void)
{
    begin();
    enable();
    inputs.temperature = 8500;
    CHECK(wait(100) == FW_OVER_TEMPERATURE && guard.detail == 8500 && !guard.enabled && !guard.brake);
    inputs.temperature = 8000;
    CHECK(wait(100) == FW_OK && fw_guard_clear(&guard, FW_OVER_TEMPERATURE) == FW_FAULT_PERSISTS);
    inputs.temperature = 7999;
    CHECK(wait(100) == FW_OK && fw_guard_clear(&guard, FW_OVER_TEMPERATURE) == FW_OK);
}

static void a_brown_out_is_a_fault_until_the_supply_is_back(void)
{
    begin();
    enable();
    inputs.supply = 17999;
    CHECK(wait(100) == FW_UNDER_VOLTAGE && guard.detail == 17999 && !guard.enabled);
    inputs.supply = 18499;
    CHECK(wait(100) == FW_OK && fw_guard_clear(&guard, FW_UNDER_VOLTAGE) == FW_FAULT_PERSISTS);
    inputs.supply = 18500;
    CHECK(wait(100) == FW_OK && fw_guard_clear(&guard, FW_UNDER_VOLTAGE) == FW_OK);
}

static void a_current_that_does_not_obey_is_a_fault_after_2_ms(void)
{
    begin();
    enable();
    inputs.currents[4] = -938; /* peak 750, and a quarter */
    CHECK(wait(1000) == FW_OK);
    inputs.currents[4] = 0;
    CHECK(wait(1000) == FW_OK);
    inputs.currents[4] = -938;
    CHECK(wait(1000) == FW_OK);
    CHECK(wait(1000) == FW_OVER_CURRENT && guard.detail == 4);
}

int main(void)
{
    enable_needs_an_edge();
    the_watchdog_trips_after_20_ms_of_silence();
    a_heartbeat_that_stands_still_feeds_nothing();
    commands_keep_it_enabled();
    nothing_is_watched_while_not_enabled();
    over_speed_brakes_until_cleared();
    speed_is_seen_across_the_wrap_of_a_counter();
    a_single_count_in_a_short_time_is_not_a_speed();
    over_speed_brakes_whatever_else_is_wrong();
    heat_is_a_fault_until_it_has_cooled_down();
    a_brown_out_is_a_fault_until_the_supply_is_back();
    a_current_that_does_not_obey_is_a_fault_after_2_ms();
    return checks_end("guard");
}
