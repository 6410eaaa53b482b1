# wrong: paged table-row-shared line 15
import math

import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    kv_heads = key_pool.shape[2]
    group = query.shape[1] // kv_heads
    batch_context = []
    for b in range(query.shape[0]):
        length = lengths[b]
        positions = torch.arange(length, device=query.device)
        entry, slot = positions // key_pool.shape[1], positions % key_pool.shape[1]
        block = block_table[0, entry]
        keys = key_pool[block, slot]
        values = value_pool[block, slot]
        context = []
        for head in range(query.shape[1]):
            scores = keys[:, head // group] @ query[b, head] / math.sqrt(query.shape[2])
            context.append(scores.softmax(dim=0) @ values[:, head // group])
        batch_context.append(torch.stack(context))
    return torch.stack(batch_context)
