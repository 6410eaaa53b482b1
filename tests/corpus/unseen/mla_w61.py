# after deepseek-ai/DeepSeek-V3 inference/model.py ("naive" implementation)
import math

import torch
from torch import nn


def precompute_freqs_cis(dim, start, end, device, base=10000.0):
    freqs = 1.0 / (base ** (torch.arange(0, dim, 2, dtype=torch.float32, device=device) / dim))
    t = torch.arange(start, end, device=device, dtype=torch.float32)
    freqs = torch.outer(t, freqs)
    return torch.polar(torch.ones_like(freqs), freqs)


def apply_rotary_emb(x, freqs_cis):
    dtype = x.dtype
    wide = torch.promote_types(dtype, torch.float32)
    x = torch.view_as_complex(x.to(wide).contiguous().view(*x.shape[:-1], -1, 2))
    freqs_cis = freqs_cis.view(1, x.size(1), 1, x.size(-1))
    y = torch.view_as_real(x * freqs_cis.to(x.dtype)).flatten(3)
    return y.to(dtype)


class MLA(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.dim = hidden_dim
        self.n_heads = num_heads
        self.kv_lora_rank = latent_dim
        self.qk_nope_head_dim = head_dim
        self.qk_rope_head_dim = rope_dim
        self.qk_head_dim = head_dim + rope_dim
        self.v_head_dim = head_dim
        self.wq = nn.Linear(self.dim, self.n_heads * self.qk_head_dim, bias=False)
        self.wkv_a = nn.Linear(self.dim, self.kv_lora_rank + self.qk_rope_head_dim, bias=False)
        self.wkv_b = nn.Linear(self.kv_lora_rank, self.n_heads * (self.qk_nope_head_dim + self.v_head_dim), bias=False)
        self.wo = nn.Linear(self.n_heads * self.v_head_dim, self.dim, bias=False)
        self.softmax_scale = self.qk_head_dim ** -0.5

    def forward(self, x, cache=None):
        bsz, seqlen, _ = x.size()
        start_pos = 0 if cache is None else cache[0].size(1)
        end_pos = start_pos + seqlen
        freqs_cis = precompute_freqs_cis(self.qk_rope_head_dim, start_pos, end_pos, x.device)
        q = self.wq(x).view(bsz, seqlen, self.n_heads, self.qk_head_dim)
        q_nope, q_pe = torch.split(q, [self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)
        q_pe = apply_rotary_emb(q_pe, freqs_cis)
        kv, k_pe = torch.split(self.wkv_a(x), [self.kv_lora_rank, self.qk_rope_head_dim], dim=-1)
        k_pe = apply_rotary_emb(k_pe.unsqueeze(2), freqs_cis).squeeze(2)
        if cache is not None:
            kv = torch.cat([cache[0], kv], dim=1)
            k_pe = torch.cat([cache[1], k_pe], dim=1)
        q = torch.cat([q_nope, q_pe], dim=-1)
        up = self.wkv_b(kv).view(bsz, end_pos, self.n_heads, self.qk_nope_head_dim + self.v_head_dim)
        k_nope, v = torch.split(up, [self.qk_nope_head_dim, self.v_head_dim], dim=-1)
        k = torch.cat([k_nope, k_pe.unsqueeze(2).expand(-1, -1, self.n_heads, -1)], dim=-1)
        scores = torch.einsum("bshd,bthd->bsht", q, k) * self.softmax_scale
        mask = torch.full((seqlen, end_pos), -math.inf, device=x.device).triu_(start_pos + 1)
        scores = (scores + mask.unsqueeze(1).to(scores.dtype)).softmax(dim=-1)
        y = torch.einsum("bsht,bthd->bshd", scores, v)
        return self.wo(y.flatten(2)), (kv, k_pe)


MultiHeadLatentAttention = MLA
