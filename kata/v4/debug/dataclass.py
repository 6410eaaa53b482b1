from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass(frozen=True)
class SelfAttentionConfig:
    hidden_dim: int = 64
    dropout: float = 0.1
    bias: bool = True


class SelfAttentionV4(nn.Module):
    def __init__(self, config: SelfAttentionConfig) -> None:
        super().__init__()
        self.config = config
        self.qkv = nn.Linear(config.hidden_dim, 3 * config.hidden_dim, bias=config.bias)
        self.out = nn.Linear(config.hidden_dim, config.hidden_dim, bias=config.bias)

    def forward(self, x: torch.Tensor, attention_mask: torch.Tensor | None = None) -> torch.Tensor:
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        attn = q @ k.transpose(-2, -1) * self.config.hidden_dim**-0.5
        if attention_mask is not None:
            attn = attn.masked_fill(attention_mask.eq(0), torch.finfo(attn.dtype).min)
        attn = attn.softmax(dim=-1)
        attn = F.dropout(attn, self.config.dropout, self.training)
        return self.out(attn @ v)
