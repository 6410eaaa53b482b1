import math

import torch


def _collect(pool, blocks, tail):
    """All tokens of one sequence, (length, kv_heads, head_dim); of the last block only the tail."""
    full, last = blocks[:-1], blocks[-1]
    return torch.cat([pool[full].flatten(0, 1), pool[last, :tail]], dim=0)


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    block_size, n_kv = key_pool.shape[1:3]
    n_rep = query.shape[1] // n_kv
    acc = torch.promote_types(query.dtype, torch.float32)
    contexts = []
    for q, row, length in zip(query, block_table, lengths.tolist()):
        n_blocks = (length + block_size - 1) // block_size
        tail = length % block_size
        blocks = row[:n_blocks].long()
        k = _collect(key_pool, blocks, tail).to(acc).repeat_interleave(n_rep, dim=1)
        v = _collect(value_pool, blocks, tail).to(acc).repeat_interleave(n_rep, dim=1)
        s = torch.einsum("hd,thd->ht", q.to(acc), k) / math.sqrt(q.shape[-1])
        contexts.append(torch.einsum("ht,thd->hd", s.softmax(dim=-1), v))
    return torch.stack(contexts).to(query.dtype)
