# wrong: paged block-beyond-table line 13

import torch


def gather_blocks(pool, numbers, length):
    return torch.cat([pool[n] for n in numbers])[:length]


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    rows, block_size = [], key_pool.size(1)
    for b, length in enumerate(lengths.tolist()):
        count = 1 + length // block_size
        numbers = [int(block_table[b, i]) for i in range(count)]
        k = gather_blocks(key_pool, numbers, length)
        v = gather_blocks(value_pool, numbers, length)
        shared = query.size(1) // k.size(1)
        k, v = k.repeat_interleave(shared, dim=1), v.repeat_interleave(shared, dim=1)
        scores = torch.einsum("hd,thd->ht", query[b], k) / query.size(-1) ** 0.5
        rows.append(torch.einsum("ht,thd->hd", scores.softmax(-1), v))
    return torch.stack(rows)
