/* Ages that do not wrap: a 32-bit clock in µs starts again after 71 minutes, an age stays at its largest value. */
#ifndef FW_AGE_H
#define FW_AGE_H

#include <stdint.h>

static inline uint32_t fw_age(uint32_t age_us, uint32_t elapsed_us)
{
    return age_us > UINT32_MAX - elapsed_us ? UINT32_MAX : age_us + elapsed_us;
}

#endif
