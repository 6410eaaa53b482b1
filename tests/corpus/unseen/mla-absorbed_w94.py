import math
import torch


def rotate_half(x):
    h = x.size(-1) // 2
    return torch.cat([-x[..., h:], x[..., :h]], dim=-1)


def rope(x, positions):
    dim = x.size(-1)
    inv = 1.0 / (10000 ** (torch.arange(0, dim, 2, device=x.device).double() / dim))
    emb = positions.double()[..., None] * torch.cat([inv, inv])
    return (x.double() * emb.cos() + rotate_half(x.double()) * emb.sin()).to(x.dtype)


def cache_entries(latent, key_rope, positions):
    return torch.cat([latent, rope(key_rope, positions)], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    bsz, n_heads, q_len, hd = query_content.shape
    rank = kv_up.shape[1]
    dtype = query_content.dtype
    f = (lambda t: t) if dtype == torch.float64 else (lambda t: t.float())
    wkv_b = f(kv_up).view(n_heads, 2 * hd, rank)
    cache = f(cache)

    start = lengths - q_len
    q_pos = start[:, None] + torch.arange(q_len, device=cache.device)[None]
    q_nope = torch.einsum("bhsd,hdc->bhsc", f(query_content), wkv_b[:, :hd])
    q_pe = rope(f(query_rope), q_pos[:, None])

    kv_cache, pe_cache = cache[..., :rank], cache[..., rank:]
    scores = torch.einsum("bhsc,btc->bhst", q_nope, kv_cache)
    scores = scores + torch.einsum("bhsr,btr->bhst", q_pe, pe_cache)
    scores = scores / math.sqrt(hd + query_rope.shape[-1])

    slots = torch.arange(cache.shape[1], device=cache.device)
    valid = slots[None, :] < lengths[:, None]
    scores = scores.masked_fill(~valid[:, None, None, :], float("-inf"))
    probs = scores.softmax(dim=-1)
    x = torch.einsum("bhst,btc->bhsc", probs, kv_cache)
    return torch.einsum("bhsc,hdc->bhsd", x, wkv_b[:, hd:]).to(dtype)
