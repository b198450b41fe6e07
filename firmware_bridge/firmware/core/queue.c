#include "queue.h"

void fw_queue_reset(struct fw_queue *queue)
{
    queue->first = 0;
    queue->filled = 0;
}

size_t fw_queue_space(const struct fw_queue *queue)
{
    return FW_QUEUE_SIZE - queue->filled;
}

bool fw_queue_put(struct fw_queue *queue, const uint8_t *data, size_t length)
{
    if (length > fw_queue_space(queue)) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        queue->bytes[(queue->first + queue->filled + i) % FW_QUEUE_SIZE] = data[i];
    }
    queue->filled += length;
    return true;
}

size_t fw_queue_peek(const struct fw_queue *queue, const uint8_t **data)
{
    const size_t to_end = FW_QUEUE_SIZE - queue->first;

    *data = &queue->bytes[queue->first];
    return queue->filled < to_end ? queue->filled : to_end;
}

void fw_queue_drop(struct fw_queue *queue, size_t length)
{
    const size_t gone = length < queue->filled ? length : queue->filled;

    queue->first = (queue->first + gone) % FW_QUEUE_SIZE;
    queue->filled -= gone;
}
