import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    b, h, d = query.shape
    _, bs, g, _ = key_pool.shape
    f = torch.float64 if query.dtype == torch.float64 else torch.float32

    # (b, t, g, d): everything the tables name, in order
    k = key_pool[block_table.long()].flatten(1, 2).to(f)
    v = value_pool[block_table.long()].flatten(1, 2).to(f)

    q = query.to(f).view(b, h // g, g, d)
    sim = torch.einsum('b r g d, b t g d -> b r g t', q, k) * d ** -0.5
    t = torch.arange(k.shape[1], device=query.device)
    sim = sim.masked_fill((t >= lengths[:, None])[:, None, None], float('-inf'))
    out = torch.einsum('b r g t, b t g d -> b r g d', sim.softmax(-1), v)
    return out.reshape(b, h, d).to(query.dtype)
