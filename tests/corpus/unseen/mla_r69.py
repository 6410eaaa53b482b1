# Multi-head latent attention; config names as in the DeepSeek checkpoints
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class MLAConfig:
    hidden_size: int
    num_attention_heads: int
    qk_nope_head_dim: int
    qk_rope_head_dim: int
    kv_lora_rank: int
    rope_theta: float = 10000.0

    @property
    def q_head_dim(self) -> int:
        return self.qk_nope_head_dim + self.qk_rope_head_dim


def apply_rope(x: Tensor, start: int, theta: float) -> Tensor:
    """x: (..., length, dim), whose first row stands at position `start`."""
    n, dim = x.shape[-2:]
    pos = torch.arange(start, start + n, device=x.device, dtype=torch.float32)
    inv = theta ** -(torch.arange(0, dim, 2, device=x.device, dtype=torch.float32) / dim)
    angle = torch.outer(pos, inv)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    lo, hi = x.split(dim // 2, dim=-1)
    return torch.cat((lo * cos - hi * sin, hi * cos + lo * sin), dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.cfg = c = MLAConfig(hidden_dim, num_heads, head_dim, rope_dim, latent_dim)
        self.q_proj = nn.Linear(hidden_dim, num_heads * c.q_head_dim, bias=False)
        self.kv_a_proj_with_mqa = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.kv_b_proj = nn.Linear(latent_dim, num_heads * 2 * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        c = self.cfg
        b, n, _ = x.shape
        past = 0 if cache is None else cache.shape[1]
        q = self.q_proj(x).view(b, n, c.num_attention_heads, c.q_head_dim).transpose(1, 2)
        q_nope, q_pe = q.split([c.qk_nope_head_dim, c.qk_rope_head_dim], dim=-1)
        compressed, k_pe = self.kv_a_proj_with_mqa(x).split(
            [c.kv_lora_rank, c.qk_rope_head_dim], dim=-1
        )
        entry = torch.cat((compressed, apply_rope(k_pe, past, c.rope_theta)), dim=-1)
        entry = entry if cache is None else torch.cat((cache, entry), dim=1)

        latent, k_pe = entry.split([c.kv_lora_rank, c.qk_rope_head_dim], dim=-1)
        kv = self.kv_b_proj(latent).unflatten(-1, (c.num_attention_heads, -1)).transpose(1, 2)
        k_nope, v = kv.chunk(2, dim=-1)
        k = torch.cat((k_nope, k_pe[:, None].expand(-1, c.num_attention_heads, -1, -1)), dim=-1)
        q = torch.cat((q_nope, apply_rope(q_pe, past, c.rope_theta)), dim=-1)

        logits = q @ k.transpose(-2, -1) * c.q_head_dim**-0.5
        rows = torch.arange(past, past + n, device=x.device)
        cols = torch.arange(past + n, device=x.device)
        logits = logits.masked_fill(cols > rows[:, None], float("-inf"))
        out = (logits.softmax(-1) @ v).transpose(1, 2).flatten(2)
        return self.o_proj(out), entry
