/* The syntaxer's firmware on a Cortex-M3. */
#include "../core/firmware.h"
#include "../core/syntaxer.h"
#include "board.h"

int main(void)
{
    static struct fw fw;

    board_start();
    fw_init(&fw, &fw_syntaxer, &board_hardware);
    for (;;) {
        fw_poll(&fw);
        if (fw.queue.filled == 0U) { /* else the line has just made room */
            board_sleep();
        }
    }
}
