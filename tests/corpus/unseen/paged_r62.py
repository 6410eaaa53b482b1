# one gather for all sequences, numpy style fancy indexing
import numpy as np
import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    B, H, D = query.shape
    N, S, G, _ = key_pool.shape
    work = torch.promote_types(query.dtype, torch.float32)

    # token t sits in slot table[t // S] * S + t % S of the flattened pool
    t = torch.arange(block_table.shape[1] * S, device=query.device)
    slot = block_table.long()[:, t // S] * S + t % S                      # (B, T)
    mine = t[np.newaxis, :] < lengths.long()[:, np.newaxis]               # (B, T)
    slot = torch.where(mine, slot, slot[:, :1])                           # never look at the rest

    k = key_pool.reshape(N * S, G, D)[slot].to(work)                      # (B, T, G, D)
    v = value_pool.reshape(N * S, G, D)[slot].to(work)
    k = k.repeat_interleave(H // G, axis=2)
    v = v.repeat_interleave(H // G, axis=2)

    s = (query.to(work)[:, np.newaxis] * k).sum(-1) / float(np.sqrt(D))   # (B, T, H)
    s = s.masked_fill(~mine[..., np.newaxis], -np.inf)
    p = torch.softmax(s, axis=1)
    return (p[..., np.newaxis] * v).sum(axis=1).to(query.dtype)
