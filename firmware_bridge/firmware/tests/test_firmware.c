/* The whole device over its line: handshake, streaming, commands, refusals, faults, a slow line, a wrapping clock. */
#include "check.h"
#include "device.h"

static struct device device;

static void begin(void)
{
    device_boot(&device, 0);
}

static void begin_streaming(void)
{
    begin();
    device_say(&device, FW_HELLO);
    device_start(&device, 1000);
}

static void begin_enabled(void)
{
    begin_streaming();
    device_command(&device, false, 0);
    device_command(&device, true, 500);
    CHECK(device.host.fw.guard.enabled && device.io.given[0] == 500);
}

static void it_is_silent_until_asked(void)
{
    begin();
    for (int i = 0; i < 1000; i++) {
        device_wait(&device, 1000);
        CHECK(device.heard == 0U);
    }
}

static void hello_is_answered_by_identity(void)
{
    struct fw_config config;

    begin();
    device_say(&device, FW_HELLO);
    CHECK(device.heard == 1U && device.frames[0].type == FW_IDENTITY && device.frames[0].length == FW_IDENTITY_SIZE);
    fw_unpack_identity(&device.frames[0], &config);
    CHECK(strcmp(config.model, "syntaxer") == 0 && config.rate_max == 4000U && config.watchdog_ms == 20U);
}

static void hello_of_any_version_is_answered_in_ours(void)
{
    struct fw_frame frame = {.version = 3, .type = FW_HELLO, .length = 5};

    begin();
    device_send(&device, &frame);
    CHECK(device.heard == 1U && device.frames[0].type == FW_IDENTITY && device.frames[0].version == 1U);
    frame.type = FW_START;
    device_wait(&device, 20000);
    device_send(&device, &frame);
    CHECK(device_error(&device).code == FW_UNSUPPORTED_VERSION && device_error(&device).detail == 3);
}

static void states_come_at_the_rate_asked_for(void)
{
    const uint16_t rates[] = {250, 300, 1000, 3000, 4000};

    for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++) {
        size_t states = 0;
        begin();
        device_start(&device, rates[r]);
        CHECK(device.heard == 1U); /* the first one at once */
        for (int i = 0; i < 100000; i++) {
            device_wait(&device, 10);
            states += device.heard;
            CHECK(device.heard == 0U || (device_state(&device).status & FW_STATUS_OVERRUN) == 0U);
        }
        CHECK(states == rates[r]);
    }
}

static void a_rate_out_of_range_is_refused(void)
{
    const uint16_t rates[] = {0, 249, 4001, 65535};

    for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++) {
        begin();
        device_start(&device, rates[r]);
        CHECK(device_error(&device).code == FW_BAD_VALUE && device_error(&device).type == FW_START);
        device_wait(&device, 10000);
        CHECK(device.heard == 0U);
    }
}

static void stop_ends_the_stream_and_the_currents(void)
{
    begin_enabled();
    device_say(&device, FW_STOP);
    CHECK(device.io.given[0] == 0 && device.io.led == 0U);
    device_wait(&device, 10000);
    CHECK(device.heard == 0U);
    device_command(&device, true, 500);
    CHECK(device_error(&device).code == FW_NOT_STREAMING && device.io.given[0] == 0);
}

static void a_new_host_ends_what_the_old_one_did(void)
{
    begin_enabled();
    device_say(&device, FW_HELLO);
    CHECK(device.io.given[0] == 0 && !device.host.fw.streaming);
    device_start(&device, 1000);
    device_command(&device, true, 500);
    CHECK(device.io.given[0] == 0);
}

static void a_state_tells_all_that_is_sensed(void)
{
    begin();
    device.io.counts[0] = -7;
    device.io.counts[5] = INT32_MIN;
    device.io.currents[1] = -1234;
    device.io.temperature = -150;
    device.io.supply = 24130;
    device.io.grip = 40000;
    device.io.buttons = 5;
    device_start(&device, 1000);
    const struct fw_state state = device_state(&device);
    CHECK(state.counts[0] == -7 && state.counts[5] == INT32_MIN && state.currents[1] == -1234);
    CHECK(state.temperature == -150 && state.supply == 97U && state.grip == 40000U && state.buttons == 5U);
    CHECK(state.command_age == UINT16_MAX && state.watchdog == FW_WATCHDOG_IDLE && state.error == FW_OK);
}

static void a_state_echoes_the_last_command_and_its_age(void)
{
    begin_streaming();
    device.sequence = 41;
    device_command(&device, false, 0);
    device_command(&device, true, 100);
    device_wait(&device, 1000);
    const struct fw_state state = device_state(&device);
    CHECK(state.command_sequence == 42U && state.command_age == 1000U);
    CHECK((state.status & FW_STATUS_ENABLED) != 0U && state.watchdog == FW_WATCHDOG_ARMED && device.io.led == 2U);
}

static void silence_takes_the_currents_away_until_a_fresh_edge(void)
{
    begin_enabled();
    for (int i = 0; i < 19; i++) {
        device_wait(&device, 1000);
        CHECK(device.io.given[0] == 500);
    }
    device_wait(&device, 1000);
    CHECK(device.io.given[0] == 0 && device_error(&device).code == FW_WATCHDOG);
    CHECK(device_state(&device).watchdog == FW_WATCHDOG_TRIPPED);
    device_command(&device, true, 500);
    CHECK(device.io.given[0] == 0);
    device_command(&device, false, 500);
    device_command(&device, true, 500);
    CHECK(device.io.given[0] == 500);
}

static void a_command_that_waited_while_the_loop_stood_still_is_too_late(void)
{
    uint8_t wire[FW_WIRE_MAX];
    struct fw_frame frame = {0};
    const struct fw_command command = {.enable = true, .heartbeat = 9999, .currents = {700}};

    begin_enabled();
    fw_pack_command(&command, &frame);
    frame.sequence = device.sequence;
    device_step(&device, 20000, wire, fw_frame_encode(&frame, wire, sizeof wire));
    CHECK(device.io.given[0] == 0 && device_error(&device).code == FW_WATCHDOG);
}

static void a_command_sent_twice_or_too_late_has_no_effect(void)
{
    begin_enabled();
    device.sequence--;
    device_command(&device, true, 900);
    CHECK(device_error(&device).code == FW_STALE_COMMAND && device.io.given[0] == 500);
    device.sequence = (uint16_t)(device.sequence - 100U);
    device_command(&device, true, 900);
    CHECK(device.io.given[0] == 500 && device.heard == 0U); /* errors are rationed */
    device.sequence = 1U + 32767U; /* as far ahead as a sequence can be */
    device_command(&device, true, 900);
    CHECK(device.io.given[0] == 900);
}

static void a_frozen_heartbeat_trips_the_watchdog_although_frames_come(void)
{
    begin_enabled();
    for (int i = 0; i < 20; i++) {
        device_wait(&device, 1000);
        device.heartbeat--;
        device_command(&device, true, 500);
    }
    CHECK(device.io.given[0] == 0 && device.host.fw.guard.watchdog == FW_WATCHDOG_TRIPPED);
}

static void unknown_flags_and_colours_are_refused(void)
{
    struct fw_frame frame = {0};
    struct fw_command command = {.led = 8};

    begin_streaming();
    fw_pack_command(&command, &frame);
    device_send(&device, &frame);
    CHECK(device_error(&device).code == FW_BAD_VALUE && device_error(&device).detail == 0x0800);
    command.led = 0;
    fw_pack_command(&command, &frame);
    frame.payload[0] = 2;
    device_wait(&device, 10000);
    device_send(&device, &frame);
    CHECK(device_error(&device).code == FW_BAD_VALUE && device_error(&device).detail == 2);
}

static void what_is_not_a_host_message_is_refused(void)
{
    const uint8_t types[] = {0, 6, 0x7F, FW_STATE, FW_IDENTITY, FW_ERROR, 0xFF};

    for (size_t t = 0; t < sizeof types; t++) {
        begin();
        device_say(&device, types[t]);
        CHECK(device_error(&device).code == FW_UNKNOWN_TYPE && device_error(&device).type == types[t]);
    }
    begin();
    device_say(&device, FW_START);
    CHECK(device_error(&device).code == FW_BAD_LENGTH);
}

static void noise_is_counted_and_answered_sparingly(void)
{
    const uint8_t noise[] = {5, 1, 2, 0};
    size_t errors = 0;

    begin_streaming();
    for (int i = 0; i < 1000; i++) {
        device_step(&device, 100, noise, sizeof noise);
        errors += device_error(&device).code == FW_BAD_FRAME ? 1U : 0U;
    }
    CHECK(errors == 10U);
    device_wait(&device, 1000);
    CHECK(device_state(&device).refused == 1000U % 256U);
}

static void limits_and_faults_show_in_the_state(void)
{
    begin_enabled();
    device_command(&device, true, INT16_MAX);
    CHECK(device.io.given[0] == 3600 && device.io.given[5] == 750);
    device_wait(&device, 1000);
    CHECK((device_state(&device).status & FW_STATUS_LIMITED) != 0U);
    device.io.supply = 12000;
    device_wait(&device, 1000);
    CHECK(device_error(&device).code == FW_UNDER_VOLTAGE && device_error(&device).detail == 12000);
    CHECK(device_state(&device).error == FW_UNDER_VOLTAGE && device.io.given[0] == 0);
    device_clear(&device, FW_UNDER_VOLTAGE);
    CHECK(device_error(&device).code == FW_FAULT_PERSISTS);
    device.io.supply = 24000;
    device_wait(&device, 10000);
    device_clear(&device, FW_OVER_SPEED);
    CHECK(device_error(&device).code == FW_NO_SUCH_FAULT && device_error(&device).detail == FW_UNDER_VOLTAGE);
    device_clear(&device, FW_UNDER_VOLTAGE);
    device_wait(&device, 1000);
    CHECK(device_state(&device).error == FW_OK);
    device_command(&device, true, 100);
    CHECK(device.io.given[0] == 0);
    device_command(&device, false, 100);
    device_command(&device, true, 100);
    CHECK(device.io.given[0] == 100);
}

static void a_runaway_is_braked(void)
{
    begin_enabled();
    device_wait(&device, 1000);
    device.io.counts[0] += 1000;
    device_wait(&device, 1000);
    CHECK(device.io.brake == 1U && device.io.given[0] == 0);
    CHECK(device_error(&device).code == FW_OVER_SPEED && device_error(&device).detail == 0);
}

static void the_peak_is_spent_after_its_time(void)
{
    begin_enabled();
    for (int i = 0; i < 1100; i++) {
        device_wait(&device, 1000);
        device_command(&device, true, 3600);
    }
    device_wait(&device, 1000);
    CHECK(device.io.given[0] == 1200 && device.io.given[5] == 300);
    CHECK((device_state(&device).status & FW_STATUS_PEAK_SPENT) != 0U);
}

static void a_line_that_is_too_slow_loses_whole_states_only(void)
{
    uint16_t last = 0;
    bool gap = false;
    bool told = false;

    begin_streaming();
    device.line = 20;
    for (int i = 0; i < 5000; i++) {
        device_wait(&device, 1000);
        const struct fw_frame *frame = device_heard(&device, FW_STATE);
        if (frame != NULL) {
            told = told || (device_state(&device).status & FW_STATUS_OVERRUN) != 0U;
            gap = gap || frame->sequence != (uint16_t)(last + 1U);
            last = frame->sequence;
        }
    }
    CHECK(device.bad == 0U && gap && told);
    device.line = 4096;
    device_wait(&device, 1000);
    device_say(&device, FW_HELLO);
    CHECK(device_heard(&device, FW_IDENTITY) != NULL);
}

static void the_clock_may_wrap(void)
{
    size_t states = 0;

    device_boot(&device, UINT32_MAX - 500000U);
    device_start(&device, 1000);
    device_command(&device, false, 0);
    for (int i = 0; i < 1000; i++) {
        device_wait(&device, 1000);
        states += device_heard(&device, FW_STATE) != NULL ? 1U : 0U;
        device_command(&device, true, 200);
        CHECK(device.io.given[0] == 200);
    }
    CHECK(states == 1000U && device.now_us < 1000000U);
}

static void a_slow_main_loop_shows_as_a_gap(void)
{
    begin_streaming();
    device_wait(&device, 1000);
    device_wait(&device, 5000);
    CHECK(device.heard == 1U && device.frames[0].sequence == 6U);
    CHECK((device_state(&device).status & FW_STATUS_OVERRUN) != 0U);
    device_wait(&device, 1000);
    CHECK(device.frames[0].sequence == 7U && (device_state(&device).status & FW_STATUS_OVERRUN) == 0U);
}

int main(void)
{
    it_is_silent_until_asked();
    hello_is_answered_by_identity();
    hello_of_any_version_is_answered_in_ours();
    states_come_at_the_rate_asked_for();
    a_rate_out_of_range_is_refused();
    stop_ends_the_stream_and_the_currents();
    a_new_host_ends_what_the_old_one_did();
    a_state_tells_all_that_is_sensed();
    a_state_echoes_the_last_command_and_its_age();
    silence_takes_the_currents_away_until_a_fresh_edge();
    a_command_that_waited_while_the_loop_stood_still_is_too_late();
    a_command_sent_twice_or_too_late_has_no_effect();
    a_frozen_heartbeat_trips_the_watchdog_although_frames_come();
    unknown_flags_and_colours_are_refused();
    what_is_not_a_host_message_is_refused();
    noise_is_counted_and_answered_sparingly();
    limits_and_faults_show_in_the_state();
    a_runaway_is_braked();
    the_peak_is_spent_after_its_time();
    a_line_that_is_too_slow_loses_whole_states_only();
    the_clock_may_wrap();
    a_slow_main_loop_shows_as_a_gap();
    return checks_end("firmware");
}
