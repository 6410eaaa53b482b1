"""DeepSeek-V2-Lite's attention in its absorbed form, for prefill and decoding alike."""
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class MLAConfig:
    hidden_size: int
    num_heads: int
    qk_nope_head_dim: int
    qk_rope_head_dim: int
    kv_lora_rank: int
    rope_theta: float = 10000.0

    @property
    def qk_head_dim(self) -> int:
        return self.qk_nope_head_dim + self.qk_rope_head_dim

    v_head_dim = property(lambda self: self.qk_nope_head_dim)


def rope(x: Tensor, position: Tensor, theta: float) -> Tensor:
    """x: (..., length, rope_dim)"""
    d = x.shape[-1]
    inv_freq = theta ** -(torch.arange(0, d, 2, device=x.device, dtype=torch.float32) / d)
    angle = position.to(torch.float32).unsqueeze(-1) * inv_freq
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x[..., : d // 2], x[..., d // 2 :]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.cfg = c = MLAConfig(hidden_dim, num_heads, head_dim, rope_dim, latent_dim)
        self.q_proj = nn.Linear(c.hidden_size, c.num_heads * c.qk_head_dim, bias=False)
        self.kv_a_proj_with_mqa = nn.Linear(c.hidden_size, c.kv_lora_rank + c.qk_rope_head_dim, bias=False)
        self.kv_b_proj = nn.Linear(
            c.kv_lora_rank, c.num_heads * (c.qk_nope_head_dim + c.v_head_dim), bias=False
        )
        self.o_proj = nn.Linear(c.num_heads * c.v_head_dim, c.hidden_size, bias=False)
        self.softmax_scale = c.qk_head_dim**-0.5

    @property
    def absorbed(self) -> tuple[Tensor, Tensor]:
        c = self.cfg
        per_head = self.kv_b_proj.weight.view(c.num_heads, -1, c.kv_lora_rank)
        return per_head[:, : c.qk_nope_head_dim], per_head[:, -c.v_head_dim :]

    def forward(self, x: Tensor, cache: Tensor | None = None) -> tuple[Tensor, Tensor]:
        c = self.cfg
        bsz, q_len, _ = x.shape
        past = 0 if cache is None else cache.shape[1]
        position = torch.arange(past, past + q_len, device=x.device)

        q = self.q_proj(x).view(bsz, q_len, c.num_heads, c.qk_head_dim).transpose(1, 2)
        q_nope, q_pe = q.split([c.qk_nope_head_dim, c.qk_rope_head_dim], dim=-1)
        compressed_kv, k_pe = self.kv_a_proj_with_mqa(x).split([c.kv_lora_rank, c.qk_rope_head_dim], dim=-1)
        entry = torch.cat([compressed_kv, rope(k_pe, position, c.rope_theta)], dim=-1)
        cache = entry if cache is None else torch.cat([cache, entry], dim=1)

        q_absorb, out_absorb = self.absorbed
        query = torch.cat([q_nope @ q_absorb, rope(q_pe, position, c.rope_theta)], dim=-1)
        scores = torch.einsum("bhqc,bkc->bhqk", query, cache) * self.softmax_scale
        future = torch.arange(cache.shape[1], device=x.device) > position.unsqueeze(-1)
        scores = scores.masked_fill(future, float("-inf")).softmax(dim=-1)
        latent_out = torch.einsum("bhqk,bkc->bhqc", scores, cache[..., : c.kv_lora_rank])
        out = torch.einsum("bhqc,hvc->bqhv", latent_out, out_absorb)
        return self.o_proj(out.flatten(2)), cache
