import math

import torch


def read_sequence(pool, blocks, length):
    """pages of one sequence -> (length, kv_heads, head_dim)"""
    block_size = pool.shape[1]
    used = math.ceil(length / block_size)
    *whole, last = blocks[:used].tolist()
    pages = [pool[b] for b in whole]
    pages.append(pool[last, : length % block_size])
    return torch.cat(pages)


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    batch, heads, dim = query.shape
    group = heads // key_pool.shape[2]
    context = torch.zeros_like(query)

    for b in range(batch):
        n = int(lengths[b])
        K = read_sequence(key_pool, block_table[b], n)
        V = read_sequence(value_pool, block_table[b], n)
        for h in range(heads):
            k, v = K[:, h // group], V[:, h // group]
            scores = (k @ query[b, h]) / math.sqrt(dim)
            context[b, h] = scores.softmax(0) @ v

    return context
