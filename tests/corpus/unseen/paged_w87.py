# attn-kata: paged
import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    batch, heads, dim = query.shape
    block_size, kv_heads = key_pool.shape[1], key_pool.shape[2]
    rep = heads // kv_heads
    longest = int(lengths.max())
    used = (longest + block_size - 1) // block_size
    pages = block_table[:, :used].long()
    k = key_pool[pages].flatten(1, 2)            # batch, tokens, kv_heads, dim
    v = value_pool[pages].flatten(1, 2)
    q = query.view(batch, rep, kv_heads, dim)
    s = torch.einsum("brgd,btgd->brgt", q, k) * dim ** -0.5
    t = torch.arange(k.shape[1], device=s.device)
    outside = t[None, :] >= lengths[:, None]
    s = s.masked_fill(outside[:, None, None, :], float("-inf"))
    out = torch.einsum("brgt,btgd->brgd", s.softmax(-1), v)
    return out.reshape(batch, heads, dim)
