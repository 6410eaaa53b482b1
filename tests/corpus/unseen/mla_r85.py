# DeepSeek-V2 names, "naive" branch: keys and values are made from the cached latent in each call
import math

import torch
from torch import nn


def rotate(x, positions):
    """x (..., t, rope_dim), halves"""
    half = x.size(-1) // 2
    wide = torch.promote_types(x.dtype, torch.float32)
    theta = torch.exp(torch.arange(half, device=x.device, dtype=wide) * (-math.log(10000.0) / half))
    m = positions.to(wide).unsqueeze(-1) * theta
    c, s = torch.cos(m), torch.sin(m)
    lo, hi = x.to(wide).split(half, dim=-1)
    return torch.cat((lo * c - hi * s, hi * c + lo * s), dim=-1).to(x.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.n_heads = num_heads
        self.qk_nope_head_dim = self.v_head_dim = head_dim
        self.qk_rope_head_dim = rope_dim
        self.kv_lora_rank = latent_dim
        self.softmax_scale = (head_dim + rope_dim) ** -0.5
        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.wkv_a = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.wkv_b = nn.Linear(latent_dim, num_heads * (head_dim + head_dim), bias=False)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        bsz, seqlen, _ = x.size()
        start_pos = 0 if cache is None else cache.size(1)
        here = torch.arange(start_pos, start_pos + seqlen, device=x.device)

        q = self.wq(x).view(bsz, seqlen, self.n_heads, -1)
        q_nope, q_pe = torch.split(q, [self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)
        q_pe = rotate(q_pe.transpose(1, 2), here).transpose(1, 2)
        q = torch.cat([q_nope, q_pe], dim=-1)

        kv, k_pe = torch.split(self.wkv_a(x), [self.kv_lora_rank, self.qk_rope_head_dim], dim=-1)
        row = torch.cat([kv, rotate(k_pe, here)], dim=-1)
        cache = row if cache is None else torch.cat([cache, row], dim=1)     # (b, n, rank + rope)

        kv, k_pe = torch.split(cache, [self.kv_lora_rank, self.qk_rope_head_dim], dim=-1)
        kv = self.wkv_b(kv).view(bsz, -1, self.n_heads, self.qk_nope_head_dim + self.v_head_dim)
        k_nope, v = torch.split(kv, [self.qk_nope_head_dim, self.v_head_dim], dim=-1)
        k = torch.cat([k_nope, k_pe.unsqueeze(2).expand(-1, -1, self.n_heads, -1)], dim=-1)

        scores = torch.einsum("bshd,bthd->bsht", q, k) * self.softmax_scale
        if seqlen > 1:
            mask = torch.full((seqlen, cache.size(1)), float("-inf"), device=x.device, dtype=x.dtype).triu_(start_pos + 1)
            scores = scores + mask.unsqueeze(1)
        scores = scores.softmax(dim=-1)
        out = torch.einsum("bsht,bthd->bshd", scores, v)
        return self.wo(out.flatten(2)), cache
