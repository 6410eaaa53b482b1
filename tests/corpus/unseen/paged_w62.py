import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    """One gather for the whole batch, then grouped attention with the tail hidden."""
    b, n_heads, d = query.shape
    block_size, n_kv = key_pool.size(1), key_pool.size(2)
    ctx_len = block_table.size(1) * block_size
    wide = torch.float64 if query.dtype == torch.float64 else torch.float32

    t = torch.arange(ctx_len, device=query.device)
    slot = block_table.long()[:, t // block_size] * block_size + t % block_size     # (b, ctx_len)
    k = key_pool.reshape(-1, n_kv, d)[slot].to(wide)                                # (b, ctx_len, n_kv, d)
    v = value_pool.reshape(-1, n_kv, d)[slot].to(wide)
    live = t[None, :] < lengths[:, None]
    v = v.masked_fill(~live[:, :, None, None], 0.0)

    q = query.to(wide).view(b, n_heads // n_kv, n_kv, d)
    scores = torch.einsum("brgd,btgd->brgt", q, k) * d ** -0.5
    scores = scores.masked_fill(~live[:, None, None, :], float("-inf"))
    ctx = torch.einsum("brgt,btgd->brgd", torch.softmax(scores, -1), v)
    return ctx.reshape(b, n_heads, d).to(query.dtype)
