import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    B, H, D = query.shape
    _, bs, G, _ = key_pool.shape
    slots = block_table.shape[1] * bs

    t = torch.arange(slots, device=query.device)
    block = block_table.long()[:, t // bs]
    k = key_pool[block, t % bs]
    v = value_pool[block, t % bs]

    k = k.repeat_interleave(H // G, dim=2)
    v = v.repeat_interleave(H // G, dim=2)
    s = (query[:, None] * k).sum(-1) / D**0.5
    live = t[None, :] <= lengths[:, None]
    s = s.masked_fill(~live[:, :, None], float("-inf"))
    p = torch.softmax(s, dim=1)
    return (p[..., None] * v).sum(dim=1)
