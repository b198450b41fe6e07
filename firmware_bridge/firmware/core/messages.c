#include "messages.h"

#include "bytes.h"

int fw_payload_size(uint8_t type)
{
    switch (type) {
    case FW_HELLO:
        return FW_HELLO_SIZE;
    case FW_START:
        return FW_START_SIZE;
    case FW_STOP:
        return FW_STOP_SIZE;
    case FW_COMMAND:
        return FW_COMMAND_SIZE;
    case FW_CLEAR_FAULT:
        return FW_CLEAR_FAULT_SIZE;
    case FW_IDENTITY:
        return FW_IDENTITY_SIZE;
    case FW_STATE:
        return FW_STATE_SIZE;
    case FW_ERROR:
        return FW_ERROR_SIZE;
    default:
        return -1;
    }
}

static uint8_t *begin(struct fw_frame *frame, enum fw_type type, enum fw_size size)
{
    frame->version = FW_PROTOCOL_VERSION;
    frame->type = (uint8_t)type;
    frame->length = (uint16_t)size;
    return frame->payload;
}

void fw_pack_command(const struct fw_command *command, struct fw_frame *frame)
{
    uint8_t *cursor = begin(frame, FW_COMMAND, FW_COMMAND_SIZE);

    fw_put_u8(&cursor, command->enable ? FW_COMMAND_ENABLE : 0U);
    fw_put_u8(&cursor, command->led);
    fw_put_u16(&cursor, command->heartbeat);
    for (size_t i = 0; i < FW_MOTORS; i++) {
        fw_put_i16(&cursor, command->currents[i]);
    }
}

bool fw_unpack_command(const struct fw_frame *frame, struct fw_command *command)
{
    const uint8_t *cursor = frame->payload;
    const uint8_t flags = fw_get_u8(&cursor);

    command->enable = (flags & FW_COMMAND_ENABLE) != 0U;
    command->led = fw_get_u8(&cursor);
    command->heartbeat = fw_get_u16(&cursor);
    for (size_t i = 0; i < FW_MOTORS; i++) {
        command->currents[i] = fw_get_i16(&cursor);
    }
    return (flags & (uint8_t)~FW_COMMAND_ENABLE) == 0U && command->led <= FW_LED_MAX;
}

void fw_pack_start(uint16_t rate, struct fw_frame *frame)
{
    uint8_t *cursor = begin(frame, FW_START, FW_START_SIZE);
    fw_put_u16(&cursor, rate);
}

uint16_t fw_unpack_start(const struct fw_frame *frame)
{
    const uint8_t *cursor = frame->payload;
    return fw_get_u16(&cursor);
}

void fw_pack_clear_fault(uint8_t code, struct fw_frame *frame)
{
    uint8_t *cursor = begin(frame, FW_CLEAR_FAULT, FW_CLEAR_FAULT_SIZE);
    fw_put_u8(&cursor, code);
}

uint8_t fw_unpack_clear_fault(const struct fw_frame *frame)
{
    return frame->payload[0];
}

void fw_pack_state(const struct fw_state *state, struct fw_frame *frame)
{
    uint8_t *cursor = begin(frame, FW_STATE, FW_STATE_SIZE);

    fw_put_u16(&cursor, state->command_sequence);
    fw_put_u16(&cursor, state->command_age);
    fw_put_u16(&cursor, state->status);
    fw_put_u8(&cursor, state->watchdog);
    fw_put_u8(&cursor, state->error);
    fw_put_u8(&cursor, state->refused);
    fw_put_u8(&cursor, state->buttons);
    fw_put_u16(&cursor, state->grip);
    fw_put_i16(&cursor, state->temperature);
    fw_put_u8(&cursor, state->supply);
    for (size_t i = 0; i < FW_MOTORS; i++) {
        fw_put_i32(&cursor, state->counts[i]);
    }
    for (size_t i = 0; i < FW_MOTORS; i++) {
        fw_put_i16(&cursor, state->currents[i]);
    }
}

void fw_unpack_state(const struct fw_frame *frame, struct fw_state *state)
{
    const uint8_t *cursor = frame->payload;

    state->command_sequence = fw_get_u16(&cursor);
    state->command_age = fw_get_u16(&cursor);
    state->status = fw_get_u16(&cursor);
    state->watchdog = fw_get_u8(&cursor);
    state->error = fw_get_u8(&cursor);
    state->refused = fw_get_u8(&cursor);
    state->buttons = fw_get_u8(&cursor);
    state->grip = fw_get_u16(&cursor);
    state->temperature = fw_get_i16(&cursor);
    state->supply = fw_get_u8(&cursor);
    for (size_t i = 0; i < FW_MOTORS; i++) {
        state->counts[i] = fw_get_i32(&cursor);
    }
    for (size_t i = 0; i < FW_MOTORS; i++) {
        state->currents[i] = fw_get_i16(&cursor);
    }
}

void fw_pack_error(const struct fw_error *error, struct fw_frame *frame)
{
    uint8_t *cursor = begin(frame, FW_ERROR, FW_ERROR_SIZE);

    fw_put_u8(&cursor, error->code);
    fw_put_u8(&cursor, error->type);
    fw_put_u16(&cursor, error->sequence);
    fw_put_i32(&cursor, error->detail);
}

void fw_unpack_error(const struct fw_frame *frame, struct fw_error *error)
{
    const uint8_t *cursor = frame->payload;

    error->code = fw_get_u8(&cursor);
    error->type = fw_get_u8(&cursor);
    error->sequence = fw_get_u16(&cursor);
    error->detail = fw_get_i32(&cursor);
}

void fw_pack_identity(const struct fw_config *config, struct fw_frame *frame)
{
    uint8_t *cursor = begin(frame, FW_IDENTITY, FW_IDENTITY_SIZE);

    for (size_t i = 0; i < sizeof config->firmware; i++) {
        fw_put_u8(&cursor, config->firmware[i]);
    }
    fw_put_text(&cursor, config->model, FW_TEXT);
    fw_put_text(&cursor, config->serial_number, FW_TEXT);
    fw_put_text(&cursor, config->calibration, FW_TEXT);
    fw_put_u8(&cursor, config->buttons);
    fw_put_u16(&cursor, config->rate_min);
    fw_put_u16(&cursor, config->rate_max);
    fw_put_u16(&cursor, config->watchdog_ms);
    fw_put_u16(&cursor, config->peak_ms);
    fw_put_i16(&cursor, config->temperature_max);
    fw_put_u16(&cursor, config->supply_min);
    for (size_t i = 0; i < FW_GEOMETRY; i++) {
        fw_put_i32(&cursor, config->geometry[i]);
    }
    for (size_t i = 0; i < FW_MOTORS; i++) {
        fw_put_u32(&cursor, config->counts_per_turn[i]);
        fw_put_f32(&cursor, config->ratio[i]);
        fw_put_f32(&cursor, config->torque_constant[i]);
        fw_put_u16(&cursor, config->continuous[i]);
        fw_put_u16(&cursor, config->peak[i]);
        fw_put_u32(&cursor, config->speed_max[i]);
        fw_put_i32(&cursor, config->home[i]);
    }
}

void fw_unpack_identity(const struct fw_frame *frame, struct fw_config *config)
{
    const uint8_t *cursor = frame->payload;

    for (size_t i = 0; i < sizeof config->firmware; i++) {
        config->firmware[i] = fw_get_u8(&cursor);
    }
    fw_get_text(&cursor, config->model, FW_TEXT);
    fw_get_text(&cursor, config->serial_number, FW_TEXT);
    fw_get_text(&cursor, config->calibration, FW_TEXT);
    config->buttons = fw_get_u8(&cursor);
    config->rate_min = fw_get_u16(&cursor);
    config->rate_max = fw_get_u16(&cursor);
    config->watchdog_ms = fw_get_u16(&cursor);
    config->peak_ms = fw_get_u16(&cursor);
    config->temperature_max = fw_get_i16(&cursor);
    config->supply_min = fw_get_u16(&cursor);
    for (size_t i = 0; i < FW_GEOMETRY; i++) {
        config->geometry[i] = fw_get_i32(&cursor);
    }
    for (size_t i = 0; i < FW_MOTORS; i++) {
        config->counts_per_turn[i] = fw_get_u32(&cursor);
        config->ratio[i] = fw_get_f32(&cursor);
        config->torque_constant[i] = fw_get_f32(&cursor);
        config->continuous[i] = fw_get_u16(&cursor);
        config->peak[i] = fw_get_u16(&cursor);
        config->speed_max[i] = fw_get_u32(&cursor);
        config->home[i] = fw_get_i32(&cursor);
    }
}
