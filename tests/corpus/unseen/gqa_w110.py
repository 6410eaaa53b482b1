from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class GQAConfig:
    hidden_size: int
    num_attention_heads: int
    num_key_value_heads: int

    @property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_attention_heads

    @property
    def n_rep(self) -> int:
        return self.num_attention_heads // self.num_key_value_heads


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int):
        super().__init__()
        self.config = config = GQAConfig(hidden_dim, num_heads, num_kv_heads)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * config.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * config.head_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: torch.Tensor, attention_mask: torch.Tensor | None = None) -> torch.Tensor:
        cfg = self.config
        shape = (*x.shape[:-1], -1, cfg.head_dim)
        query = self.q_proj(x).view(shape).transpose(1, 2)
        key = self.k_proj(x).view(shape).transpose(1, 2).repeat_interleave(cfg.n_rep, dim=1)
        value = self.v_proj(x).view(shape).transpose(1, 2).repeat_interleave(cfg.n_rep, dim=1)

        attn = torch.matmul(query, key.transpose(2, 3)) * cfg.head_dim**-0.5
        if attention_mask is not None:
            attn = attn.masked_fill(attention_mask == 0, torch.finfo(attn.dtype).min)
        attn = nn.functional.softmax(attn, dim=-1, dtype=torch.float32)
        out = torch.matmul(attn, value)
        return self.o_proj(out.transpose(1, 2).flatten(2))
