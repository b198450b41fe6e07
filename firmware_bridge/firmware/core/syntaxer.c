#include "syntaxer.h"

#define THREE(value) value, value, value

const struct fw_config fw_syntaxer = {
    .firmware = {1, 0, 0},
    .model = "syntaxer",
    .serial_number = "SX-0001",
    .calibration = "factory",
    .buttons = 4,
    .rate_min = 250,
    .rate_max = 4000,
    .watchdog_ms = 20,
    .peak_ms = 1000,
    .temperature_max = 8500,
    .supply_min = 18000,
    .geometry = {
        /* Three chains: azimuth, base centre → motor axis, platform centre → bars, arm, bars, angle at home. */
        0, 1500000, 500000, 1600000, 2650000, 0,
        20943951, 1500000, 500000, 1600000, 2650000, 0,
        41887902, 1500000, 500000, 1600000, 2650000, 0,
        /* Three strings, seen from the ball joint: eye on the platform, point on the handle's plate, drum radius. */
        0, -400000, -320000, 0, 0, -320000, 60000,
        -500000, -320000, 0, 0, -320000, 0, 60000,
        -500000, 0, 320000, 0, 0, 320000, 60000,
    },
    .counts_per_turn = {THREE(2000U), THREE(2000U)},
    .ratio = {THREE(16.0F), THREE(16.0F)},
    .torque_constant = {THREE(0.0235F), THREE(0.008F)},
    .continuous = {THREE(1200U), THREE(300U)},
    .peak = {THREE(3600U), THREE(750U)},
    .speed_max = {THREE(100000U), THREE(500000U)}, /* about 3 m/s and 18 rad/s at the handle */
};
