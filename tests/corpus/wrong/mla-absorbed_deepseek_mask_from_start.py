# wrong: mla-absorbed causal-from-start line 50
import math

import torch


def precompute_freqs(dim, positions, theta=10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2, dtype=torch.float32, device=positions.device) / dim))
    return positions.float()[..., None] * freqs


def apply_rotary_emb(x, positions):
    dtype = x.dtype
    freqs = precompute_freqs(x.shape[-1], positions)
    if dtype == torch.float64:
        dim = x.shape[-1]
        freqs = positions.double()[..., None] * (
            10000.0 ** (-torch.arange(0, dim, 2, dtype=torch.float64, device=x.device) / dim)
        )
    x1, x2 = torch.chunk(x.to(freqs.dtype), 2, dim=-1)
    y1 = x1 * freqs.cos() - x2 * freqs.sin()
    y2 = x2 * freqs.cos() + x1 * freqs.sin()
    return torch.cat([y1, y2], dim=-1).to(dtype)


def cache_entries(kv, k_pe, positions):
    return torch.cat([kv, apply_rotary_emb(k_pe, positions)], dim=-1)


def absorbed_attention(q_nope, q_pe, cache, lengths, wkv_b):
    bsz, n_heads, seqlen, qk_nope_head_dim = q_nope.shape
    qk_rope_head_dim = q_pe.size(-1)
    kv_lora_rank = cache.size(-1) - qk_rope_head_dim
    kv_cache, pe_cache = torch.split(cache, [kv_lora_rank, qk_rope_head_dim], dim=-1)
    softmax_scale = (qk_nope_head_dim + qk_rope_head_dim) ** -0.5

    start = lengths - seqlen
    pos = start[:, None] + torch.arange(seqlen, device=cache.device)[None]
    # as in DeepSeek's model.py: bshd
    q_nope = q_nope.transpose(1, 2)
    q_pe = apply_rotary_emb(q_pe, pos[:, None]).transpose(1, 2)

    wkv_b = wkv_b.view(n_heads, -1, kv_lora_rank)
    q_nope = torch.einsum("bshd,hdc->bshc", q_nope, wkv_b[:, :qk_nope_head_dim])
    scores = (
        torch.einsum("bshc,btc->bsht", q_nope, kv_cache)
        + torch.einsum("bshr,btr->bsht", q_pe, pe_cache)
    ) * softmax_scale
    end_pos = cache.size(1)
    mask = torch.arange(end_pos, device=cache.device)[None, None] > (pos - start[:, None])[..., None]
    scores = scores.masked_fill(mask[:, :, None], float("-inf"))
    scores = scores.softmax(dim=-1, dtype=torch.promote_types(scores.dtype, torch.float32)).type_as(q_nope)
    x = torch.einsum("bsht,btc->bshc", scores, kv_cache)
    x = torch.einsum("bshc,hdc->bshd", x, wkv_b[:, -qk_nope_head_dim:])
    return x.transpose(1, 2)
