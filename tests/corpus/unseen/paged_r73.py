# attn-kata: paged
import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    """slot arithmetic: token t of sequence b is row table[b, t // bs] * bs + t % bs of the flat pool"""
    b, h, d = query.shape
    bs, g = key_pool.shape[1:3]
    t = torch.arange(block_table.shape[1] * bs, device=query.device)
    slot = block_table.long()[:, t // bs] * bs + t % bs          # b, T
    k = key_pool.flatten(0, 1)[slot]                             # b, T, g, d
    v = value_pool.flatten(0, 1)[slot]
    q = query.view(b, g, h // g, d)
    s = torch.einsum("bgrd,btgd->bgrt", q, k) / d ** 0.5
    s = s.masked_fill((t >= lengths[:, None])[:, None, None], -torch.inf)
    # a foreign place may hold anything, so its value is silenced as well
    v = v.masked_fill((t >= lengths[:, None])[..., None, None], 0)
    return torch.einsum("bgrt,btgd->bgrd", s.softmax(-1), v).reshape(b, h, d)
