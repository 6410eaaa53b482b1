import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    B, H, D = query.shape
    BS, KV = key_pool.shape[1], key_pool.shape[2]
    S = block_table.shape[1] * BS

    table = block_table.long()
    t = torch.arange(S, device=query.device)
    blk, off = table[:, t // BS], (t % BS).expand(B, S)
    k = key_pool[blk, off]  # B, S, KV, D
    v = value_pool[blk, off]

    head_map = torch.arange(H, device=query.device) % KV
    k, v = k[:, :, head_map], v[:, :, head_map]

    s = torch.einsum("bhd,bshd->bhs", query * D**-0.5, k)
    dead = t[None, :] >= lengths[:, None]
    s = s.masked_fill(dead[:, None], torch.finfo(s.dtype).min)
    p = torch.softmax(s, -1)
    return torch.einsum("bhs,bshd->bhd", p, v)
