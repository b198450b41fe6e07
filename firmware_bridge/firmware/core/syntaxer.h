/* The syntaxer as built: geometry of the published device, motors and limits. */
#ifndef FW_SYNTAXER_H
#define FW_SYNTAXER_H

#include "messages.h"

extern const struct fw_config fw_syntaxer;

#endif
