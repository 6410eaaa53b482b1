import math

import torch

THETA = 10_000.0


def rotary_tables(position_ids, dim, dtype):
    """cos and sin, each (batch, length, dim / 2)"""
    inv_freq = THETA ** -(torch.arange(0, dim, 2, device=position_ids.device).double() / dim)
    freqs = position_ids.to(dtype)[..., None] * inv_freq.to(dtype)
    return freqs.cos(), freqs.sin()


def apply_rope(x, cos, sin):
    x1, x2 = torch.tensor_split(x, 2, dim=-1)
    return torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin], dim=-1).to(x.dtype)


def cache_entries(latent, key_rope, positions):
    cos, sin = rotary_tables(positions, key_rope.size(-1), key_rope.dtype)
    return torch.cat([latent, apply_rope(key_rope, cos, sin)], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    bsz, n_heads, q_len, head_dim = query_content.shape
    rope_dim = query_rope.size(-1)
    scaling = 1.0 / math.sqrt(head_dim + rope_dim)
    compute = torch.float64 if cache.dtype == torch.float64 else torch.float32

    w = kv_up.to(compute).unflatten(0, (n_heads, 2 * head_dim))
    w_uk, w_uv = w.split(head_dim, dim=1)

    offsets = torch.arange(-q_len, 0, device=lengths.device)
    q_pos = lengths[:, None] + offsets[None, :]
    cos, sin = rotary_tables(q_pos, rope_dim, query_rope.dtype)
    q_pe = apply_rope(query_rope, cos[:, None], sin[:, None]).to(compute)
    q_latent = torch.matmul(query_content.to(compute), w_uk)

    kv_c, k_pe = cache.to(compute).split([kv_up.size(1), rope_dim], dim=-1)
    attn = torch.einsum("bhqc,bkc->bhqk", q_latent, kv_c)
    attn = attn + torch.einsum("bhqr,bkr->bhqk", q_pe, k_pe)
    k_pos = torch.arange(cache.size(1), device=cache.device)
    attn = (attn * scaling).masked_fill((k_pos > q_pos[..., None])[:, None], -math.inf)
    probs = attn.softmax(dim=-1)
    ctx = torch.einsum("bhqk,bkc->bhqc", probs, kv_c)
    return torch.matmul(ctx, w_uv.transpose(1, 2)).to(cache.dtype)
