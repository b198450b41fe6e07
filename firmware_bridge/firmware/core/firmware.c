#include "firmware.h"

#include <string.h>

#include "age.h"

#define READ_PER_POLL 1024U         /* a babbling host must not keep the guard from its work */
#define QUIET_US 10000U             /* between two ERRORs about refused frames */
#define RESERVE (FW_WIRE_MAX + 64U) /* room that STATEs leave for an IDENTITY and an ERROR */

static const int16_t NO_CURRENTS[FW_MOTORS] = {0};

/* Sends fw->frame, which is packed but for sequence and time; false if the line is too far behind. */
static bool send(struct fw *fw, uint16_t sequence)
{
    uint8_t wire[FW_WIRE_MAX];

    fw->frame.sequence = sequence;
    fw->frame.time_us = fw->now_us;
    return fw_queue_put(&fw->queue, wire, fw_frame_encode(&fw->frame, wire, sizeof wire));
}

static void send_error(struct fw *fw, enum fw_code code, uint8_t type, uint16_t sequence, int32_t detail)
{
    const struct fw_error error = {(uint8_t)code, type, sequence, detail};

    fw_pack_error(&error, &fw->frame);
    (void)send(fw, fw->error_sequence++); /* no room: the gap in the sequence tells of it */
}

static void refuse(struct fw *fw, enum fw_code code, uint8_t type, uint16_t sequence, int32_t detail)
{
    fw->refused++;
    fw->since |= FW_STATUS_REFUSED;
    if (fw->quiet_us >= QUIET_US) { /* noise on the line must not be answered by noise */
        fw->quiet_us = 0;
        send_error(fw, code, type, sequence, detail);
    }
}

static void end_session(struct fw *fw)
{
    fw->streaming = false;
    fw->command_known = false;
    fw->command_sequence = 0;
    fw->command_age_us = UINT32_MAX;
    fw->led = 0;
    memcpy(fw->wanted, NO_CURRENTS, sizeof fw->wanted);
    fw_guard_disarm(&fw->guard);
}

static void take_hello(struct fw *fw)
{
    end_session(fw); /* whoever says hello is a new host: nothing of the old one stays in force */
    fw_pack_identity(&fw->config, &fw->frame);
    (void)send(fw, fw->identity_sequence++);
}

static void take_start(struct fw *fw)
{
    const uint16_t rate = fw_unpack_start(&fw->frame);

    if (rate == 0U || rate < fw->config.rate_min || rate > fw->config.rate_max) {
        refuse(fw, FW_BAD_VALUE, FW_START, fw->frame.sequence, rate);
        return;
    }
    end_session(fw);
    fw->streaming = true;
    fw->rate = rate;
    fw->due_us = fw->now_us;
    fw->fraction = 0;
    fw->state_sequence = 0;
}

static void take_command(struct fw *fw)
{
    const uint16_t sequence = fw->frame.sequence;
    const uint16_t ahead = (uint16_t)(sequence - fw->command_sequence);
    struct fw_command command;

    if (!fw->streaming) {
        refuse(fw, FW_NOT_STREAMING, FW_COMMAND, sequence, 0);
        return;
    }
    if (fw->command_known && (ahead == 0U || ahead >= 0x8000U)) {
        refuse(fw, FW_STALE_COMMAND, FW_COMMAND, sequence, fw->command_sequence);
        return;
    }
    if (!fw_unpack_command(&fw->frame, &command)) {
        refuse(fw, FW_BAD_VALUE, FW_COMMAND, sequence, fw->frame.payload[0] | fw->frame.payload[1] << 8);
        return;
    }
    const bool alive = !fw->command_known || command.heartbeat != fw->heartbeat;
    fw->command_known = true;
    fw->command_sequence = sequence;
    fw->command_age_us = 0;
    fw->heartbeat = command.heartbeat;
    fw->led = command.led;
    memcpy(fw->wanted, command.currents, sizeof fw->wanted);
    fw_guard_command(&fw->guard, command.enable, alive);
}

static void take_clear_fault(struct fw *fw)
{
    const enum fw_code answer = fw_guard_clear(&fw->guard, fw_unpack_clear_fault(&fw->frame));

    if (answer != FW_OK) {
        refuse(fw, answer, FW_CLEAR_FAULT, fw->frame.sequence, fw->guard.fault);
    }
}

static void take_frame(struct fw *fw)
{
    const struct fw_frame *frame = &fw->frame;
    const int size = fw_payload_size(frame->type);

    if (frame->type == FW_HELLO && frame->version != FW_PROTOCOL_VERSION) {
        take_hello(fw); /* any host may ask which version this is */
    } else if (frame->version != FW_PROTOCOL_VERSION) {
        refuse(fw, FW_UNSUPPORTED_VERSION, frame->type, frame->sequence, frame->version);
    } else if (size < 0 || frame->type >= FW_IDENTITY) {
        refuse(fw, FW_UNKNOWN_TYPE, frame->type, frame->sequence, frame->type);
    } else if (frame->length != (uint16_t)size) {
        refuse(fw, FW_BAD_LENGTH, frame->type, frame->sequence, frame->length);
    } else if (frame->type == FW_HELLO) {
        take_hello(fw);
    } else if (frame->type == FW_START) {
        take_start(fw);
    } else if (frame->type == FW_STOP) {
        end_session(fw);
    } else if (frame->type == FW_COMMAND) {
        take_command(fw);
    } else {
        take_clear_fault(fw);
    }
}

static void listen(struct fw *fw)
{
    uint8_t bytes[64];
    size_t total = 0;
    size_t count = sizeof bytes;

    while (count == sizeof bytes && total < READ_PER_POLL) {
        count = fw->hardware.uart_read(fw->hardware.context, bytes, sizeof bytes);
        total += count;
        for (size_t i = 0; i < count; i++) {
            const enum fw_frame_result result = fw_receiver_push(&fw->receiver, bytes[i], &fw->frame);
            if (result == FW_FRAME_GOOD) {
                take_frame(fw);
            } else if (result != FW_FRAME_NONE) {
                refuse(fw, FW_BAD_FRAME, 0U, 0U, (int32_t)result);
            }
        }
    }
}

static void look(struct fw *fw, uint32_t elapsed_us)
{
    const struct fw_hardware *hardware = &fw->hardware;
    struct fw_inputs *inputs = &fw->inputs;
    int32_t flowing[FW_MOTORS];

    hardware->read_encoders(hardware->context, inputs->counts);
    hardware->read_adc(hardware->context, inputs->currents, &inputs->temperature, &inputs->supply);
    hardware->read_handle(hardware->context, &inputs->buttons, &inputs->grip);
    for (size_t i = 0; i < FW_MOTORS; i++) {
        /* The larger of given and measured: a dead current sensor must not make a motor look cold. */
        const int32_t given = fw->given[i] < 0 ? -(int32_t)fw->given[i] : fw->given[i];
        const int32_t measured = inputs->currents[i] < 0 ? -(int32_t)inputs->currents[i] : inputs->currents[i];
        flowing[i] = measured > given ? measured : given;
    }
    fw_limits_spend(&fw->limits, &fw->config, flowing, elapsed_us);
}

static void drive(struct fw *fw)
{
    const int16_t *wanted = fw->guard.enabled ? fw->wanted : NO_CURRENTS;

    if (fw_limits_apply(&fw->limits, &fw->config, wanted, fw->given)) {
        fw->since |= FW_STATUS_LIMITED;
    }
    /* Written on every turn: a register upset by noise does not stay so. */
    fw->hardware.set_motors(fw->hardware.context, fw->given, fw->guard.brake);
    fw->hardware.set_led(fw->hardware.context, fw->led);
}

static uint8_t quarter_volts(uint16_t millivolts)
{
    const uint32_t quarters = ((uint32_t)millivolts + 125U) / 250U;
    return (uint8_t)(quarters < UINT8_MAX ? quarters : UINT8_MAX);
}

static void send_state(struct fw *fw)
{
    struct fw_state state = {
        .command_sequence = fw->command_sequence,
        .command_age = (uint16_t)(fw->command_age_us < UINT16_MAX ? fw->command_age_us : UINT16_MAX),
        .status = (uint16_t)(fw->since | fw_guard_status(&fw->guard)),
        .watchdog = fw->guard.watchdog,
        .error = fw->guard.fault,
        .refused = (uint8_t)(fw->refused & 0xFFU),
        .buttons = fw->inputs.buttons,
        .grip = fw->inputs.grip,
        .temperature = fw->inputs.temperature,
        .supply = quarter_volts(fw->inputs.supply),
    };
    memcpy(state.counts, fw->inputs.counts, sizeof state.counts);
    memcpy(state.currents, fw->inputs.currents, sizeof state.currents);
    if (fw_limits_exhausted(&fw->limits)) {
        state.status |= FW_STATUS_PEAK_SPENT;
    }
    fw_pack_state(&state, &fw->frame);
    fw->since = 0;
    if (fw_queue_space(&fw->queue) < FW_WIRE_MAX + RESERVE || !send(fw, fw->state_sequence)) {
        fw->since = (uint16_t)(state.status & (FW_STATUS_LIMITED | FW_STATUS_REFUSED)) | FW_STATUS_OVERRUN;
    }
    fw->state_sequence++;
}

static void stream(struct fw *fw)
{
    const uint32_t late_us = fw->now_us - fw->due_us;

    if (!fw->streaming || late_us >= 0x80000000U) { /* not due yet */
        return;
    }
    const uint32_t period_us = 1000000U / fw->rate;
    const uint32_t missed = late_us / period_us;
    if (missed > 0U) { /* the main loop was too slow: the gap in the sequence tells of it */
        fw->state_sequence = (uint16_t)(fw->state_sequence + missed);
        fw->since |= FW_STATUS_OVERRUN;
    }
    fw->due_us += (missed + 1U) * period_us;
    fw->fraction = (uint16_t)(fw->fraction + 1000000U % fw->rate);
    if (fw->fraction >= fw->rate) {
        fw->fraction = (uint16_t)(fw->fraction - fw->rate);
        fw->due_us++;
    }
    send_state(fw);
}

static void transmit(struct fw *fw)
{
    const uint8_t *bytes;
    size_t length = fw_queue_peek(&fw->queue, &bytes);

    while (length > 0U) {
        const size_t sent = fw->hardware.uart_write(fw->hardware.context, bytes, length);
        fw_queue_drop(&fw->queue, sent);
        if (sent < length) {
            return; /* the line is full: the rest waits for the next turn */
        }
        length = fw_queue_peek(&fw->queue, &bytes);
    }
}

void fw_init(struct fw *fw, const struct fw_config *config, const struct fw_hardware *hardware)
{
    memset(fw, 0, sizeof *fw);
    fw->config = *config;
    fw->hardware = *hardware;
    fw_guard_reset(&fw->guard);
    fw_limits_reset(&fw->limits);
    fw_receiver_reset(&fw->receiver);
    fw_queue_reset(&fw->queue);
    fw->now_us = hardware->time_us(hardware->context);
    fw->command_age_us = UINT32_MAX;
    fw->quiet_us = UINT32_MAX;
    hardware->set_motors(hardware->context, NO_CURRENTS, false);
    hardware->set_led(hardware->context, 0);
}

void fw_poll(struct fw *fw)
{
    const uint32_t now_us = fw->hardware.time_us(fw->hardware.context);
    const uint32_t elapsed_us = now_us - fw->now_us;

    fw->now_us = now_us;
    fw->command_age_us = fw_age(fw->command_age_us, elapsed_us);
    fw->quiet_us = fw_age(fw->quiet_us, elapsed_us);
    look(fw, elapsed_us);
    /* Before the line is read: a command that waited while the loop stood still is too old to count. */
    const enum fw_code event = fw_guard_watch(&fw->guard, &fw->config, &fw->inputs, elapsed_us);
    if (event != FW_OK) {
        send_error(fw, event, 0U, fw->command_sequence, fw->guard.detail);
    }
    listen(fw);
    drive(fw);
    stream(fw);
    transmit(fw);
}
