# attn-kata: mla-absorbed
# DeepSeek's naive/absorb split; only the absorb path is kept.
from __future__ import annotations

import torch
from torch import Tensor


def precompute(positions: Tensor, dim: int, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    inv_freq = 10000 ** (-torch.arange(0, dim, 2, device=positions.device, dtype=torch.float64) / dim)
    freqs = positions.to(dtype)[..., None] * inv_freq.to(dtype)
    return freqs.cos(), freqs.sin()


def apply_rotary_emb(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    cos, sin = precompute(positions, key_rope.size(-1), key_rope.dtype)
    return torch.cat((latent, apply_rotary_emb(key_rope, cos, sin)), dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    bsz, n_heads, seqlen, qk_nope = query_content.shape
    qk_rope = query_rope.size(-1)
    softmax_scale = (qk_nope + qk_rope) ** -0.5
    compute = torch.promote_types(query_content.dtype, torch.float32)

    q_pos = lengths.to(cache.device)[:, None] - seqlen + torch.arange(seqlen, device=cache.device)
    cos, sin = precompute(q_pos, qk_rope, query_rope.dtype)
    q_pe = apply_rotary_emb(query_rope, cos[:, None], sin[:, None]).to(compute)

    wkv_b = kv_up.to(compute).view(n_heads, 2 * qk_nope, -1)
    q_nope = torch.einsum("bhsd,hdc->bhsc", query_content.to(compute), wkv_b[:, :qk_nope])
    kv_cache, pe_cache = cache.to(compute).split([cache.size(-1) - qk_rope, qk_rope], dim=-1)
    scores = torch.einsum("bhsc,btc->bhst", q_nope, kv_cache) + torch.einsum("bhsr,btr->bhst", q_pe, pe_cache)
    scores = scores * softmax_scale

    t = torch.arange(cache.size(1), device=cache.device)
    scores = scores.masked_fill((t > q_pos[..., None]).unsqueeze(1), float("-inf")).softmax(dim=-1)
    x = torch.einsum("bhst,btc->bhsc", scores, kv_cache)
    x = torch.einsum("bhsc,hdc->bhsd", x, wkv_b[:, -qk_nope:])
    return x.to(query_content.dtype)
