/* Bytes that wait for the line. A frame goes in whole or not at all. */
#ifndef FW_QUEUE_H
#define FW_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FW_QUEUE_SIZE 1024U

struct fw_queue {
    uint8_t bytes[FW_QUEUE_SIZE];
    size_t first;
    size_t filled;
};

void fw_queue_reset(struct fw_queue *queue);

size_t fw_queue_space(const struct fw_queue *queue);

/* False, and nothing is queued, if there is no room for all of it. */
bool fw_queue_put(struct fw_queue *queue, const uint8_t *data, size_t length);

/* The longest run that can be sent in one go; then say how much of it was sent. */
size_t fw_queue_peek(const struct fw_queue *queue, const uint8_t **data);
void fw_queue_drop(struct fw_queue *queue, size_t length);

#endif
