import torch
from torch import einsum, Tensor


def exists(v):
    return v is not None


def default(v, d):
    return v if exists(v) else d


def max_neg_value(t: Tensor):
    return -torch.finfo(t.dtype).max


def gather_pages(pool, table):
    # n p c z , s m -> s (m p) c z
    picked = pool.index_select(0, table.flatten().long())
    return picked.unflatten(0, table.shape).flatten(1, 2)


def paged_attention(query, key_pool, value_pool, block_table, lengths, scale=None):
    scale = default(scale, query.shape[-1] ** -0.5)
    kv_heads = key_pool.shape[-2]

    dtype = query.dtype
    if dtype in (torch.half, torch.bfloat16):
        query, key_pool, value_pool = (x.float() for x in (query, key_pool, value_pool))

    k, v = (gather_pages(pool, block_table) for pool in (key_pool, value_pool))

    # s (c u) z -> s u c z , c kv heads with u query heads each
    q = query.unflatten(1, (kv_heads, -1)).transpose(1, 2)

    sim = einsum("s u c z, s w c z -> s u c w", q * scale, k)

    seen = torch.arange(k.shape[1], device=k.device) < lengths.unsqueeze(-1)
    sim = sim.masked_fill(~seen[:, None, None, :], max_neg_value(sim))
    attn = sim.softmax(dim=-1)

    v = v.masked_fill(~seen[:, :, None, None], 0.0)
    out = einsum("s u c w, s w c z -> s u c z", attn, v)
    return out.flatten(1, 2).to(dtype)
