# attn-kata: mla
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


def precompute_cos_sin(dim: int, start: int, length: int, device: torch.device) -> tuple[Tensor, Tensor]:
    freqs = 1.0 / (10000.0 ** (torch.arange(0, dim, 2, dtype=torch.float32, device=device) / dim))
    t = torch.arange(start, start + length, dtype=torch.float32, device=device)
    freqs = torch.outer(t, freqs)
    return freqs.cos(), freqs.sin()


def apply_rotary_emb(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """x: (batch, heads, length, rope_dim), rotated in float32 and cast back."""
    dtype = x.dtype
    if dtype in (torch.float16, torch.bfloat16):
        x = x.float()
    x1, x2 = torch.chunk(x, 2, dim=-1)
    return torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin], dim=-1).to(dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.n_heads = num_heads
        self.kv_lora_rank = latent_dim
        self.qk_nope_head_dim = head_dim
        self.qk_rope_head_dim = rope_dim
        self.qk_head_dim = head_dim + rope_dim
        self.v_head_dim = head_dim

        self.q_proj = nn.Linear(hidden_dim, self.n_heads * self.qk_head_dim, bias=False)
        self.kv_a_proj_with_mqa = nn.Linear(hidden_dim, self.kv_lora_rank + self.qk_rope_head_dim, bias=False)
        self.kv_b_proj = nn.Linear(
            self.kv_lora_rank, self.n_heads * (self.qk_nope_head_dim + self.v_head_dim), bias=False
        )
        self.o_proj = nn.Linear(self.n_heads * self.v_head_dim, hidden_dim, bias=False)
        self.softmax_scale = self.qk_head_dim ** -0.5

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        bsz, q_len, _ = x.size()
        start = 0 if cache is None else cache["kv"].size(1)
        cos, sin = precompute_cos_sin(self.qk_rope_head_dim, start, q_len, x.device)

        q = self.q_proj(x).view(bsz, q_len, self.n_heads, self.qk_head_dim).transpose(1, 2)
        q_nope, q_pe = torch.split(q, [self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)
        q_pe = apply_rotary_emb(q_pe, cos, sin)

        kv, k_pe = torch.split(
            self.kv_a_proj_with_mqa(x), [self.kv_lora_rank, self.qk_rope_head_dim], dim=-1
        )
        k_pe = apply_rotary_emb(k_pe.unsqueeze(1), cos, sin).squeeze(1)
        if cache is not None:
            kv = torch.cat([cache["kv"], kv], dim=1)
            k_pe = torch.cat([cache["pe"], k_pe], dim=1)
        end = kv.size(1)

        up = self.kv_b_proj(kv).view(bsz, end, self.n_heads, self.qk_nope_head_dim + self.v_head_dim)
        k_nope, v = torch.split(up.transpose(1, 2), [self.qk_nope_head_dim, self.v_head_dim], dim=-1)
        k = torch.cat([k_nope, k_pe.unsqueeze(1).expand(-1, self.n_heads, -1, -1)], dim=-1)
        q = torch.cat([q_nope, q_pe], dim=-1)

        scores = torch.matmul(q, k.transpose(2, 3)) * self.softmax_scale
        mask = torch.full((q_len, end), float("-inf"), device=x.device, dtype=scores.dtype).triu_(start + 1)
        scores = (scores + mask).softmax(dim=-1)
        out = torch.matmul(scores, v).transpose(1, 2).reshape(bsz, q_len, -1)
        return self.o_proj(out), {"kv": kv.clone(), "pe": k_pe.clone()}
