from __future__ import annotations

import torch
import torch.nn as nn
import torch.nn.functional as F


def precompute_freqs(seqlen, dim, theta, device):
    """cos and sin for positions 0 .. seqlen - 1, each (seqlen, dim // 2), in float64."""
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2, dtype=torch.float64, device=device) / dim))
    t = torch.arange(seqlen, dtype=torch.float64, device=device)
    freqs = torch.outer(t, freqs)
    return torch.cos(freqs), torch.sin(freqs)


def apply_rotary_emb(x, cos, sin):
    """x: (bsz, seqlen, heads, dim)"""
    dtype = x.dtype
    work = torch.float64 if dtype == torch.float64 else torch.float32
    cos, sin = cos[:, None].to(work), sin[:, None].to(work)
    x1, x2 = torch.chunk(x.to(work), 2, dim=-1)
    return torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin], dim=-1).to(dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.n_heads = num_heads
        self.kv_lora_rank = latent_dim
        self.qk_nope_head_dim = head_dim
        self.qk_rope_head_dim = rope_dim
        self.qk_head_dim = head_dim + rope_dim
        self.v_head_dim = head_dim

        self.wq = nn.Linear(hidden_dim, num_heads * self.qk_head_dim, bias=False)
        self.wkv_a = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.wkv_b = nn.Linear(latent_dim, num_heads * (head_dim + head_dim), bias=False)
        self.wo = nn.Linear(num_heads * self.v_head_dim, hidden_dim, bias=False)
        self.softmax_scale = self.qk_head_dim**-0.5

    def forward(self, x, cache=None):
        bsz, seqlen, _ = x.size()
        start_pos = 0 if cache is None else cache.size(1)
        end_pos = start_pos + seqlen
        cos, sin = precompute_freqs(end_pos, self.qk_rope_head_dim, 10000.0, x.device)
        cos, sin = cos[start_pos:], sin[start_pos:]

        q = self.wq(x).view(bsz, seqlen, self.n_heads, self.qk_head_dim)
        q_nope, q_pe = torch.split(q, [self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)
        q = torch.cat([q_nope, apply_rotary_emb(q_pe, cos, sin)], dim=-1)

        kv, k_pe = torch.split(self.wkv_a(x), [self.kv_lora_rank, self.qk_rope_head_dim], dim=-1)
        k_pe = apply_rotary_emb(k_pe.unsqueeze(2), cos, sin).squeeze(2)
        entry = torch.cat([kv, k_pe], dim=-1)
        cache = entry if cache is None else torch.cat([cache, entry], dim=1)

        kv, k_pe = torch.split(cache, [self.kv_lora_rank, self.qk_rope_head_dim], dim=-1)
        kv = self.wkv_b(kv).view(bsz, end_pos, self.n_heads, self.qk_nope_head_dim + self.v_head_dim)
        k_nope, v = torch.split(kv, [self.qk_nope_head_dim, self.v_head_dim], dim=-1)
        k = torch.cat([k_nope, k_pe.unsqueeze(2).expand(-1, -1, self.n_heads, -1)], dim=-1)

        scores = torch.einsum("bshd,bthd->bhst", q, k) * self.softmax_scale
        mask = torch.full((seqlen, end_pos), float("-inf"), device=x.device, dtype=scores.dtype).triu_(start_pos + 1)
        scores = F.softmax(scores + mask, dim=-1)
        out = torch.einsum("bhst,bthd->bshd", scores, v)
        return self.wo(out.flatten(2)), cache
