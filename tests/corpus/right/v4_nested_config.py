# right: v4
from dataclasses import dataclass, field
from typing import Optional

import torch
import torch.nn as nn


@dataclass
class Config:
    hidden_dim: int = 64
    dropout: float = 0.1
    bias: bool = True
    eps: float = field(default=1e-6, repr=False)


class Projections(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.q = nn.Linear(config.hidden_dim, config.hidden_dim, bias=config.bias)
        self.k = nn.Linear(config.hidden_dim, config.hidden_dim, bias=config.bias)
        self.v = nn.Linear(config.hidden_dim, config.hidden_dim, bias=config.bias)

    def forward(self, x):
        return self.q(x), self.k(x), self.v(x)


class SelfAttentionV4(nn.Module):
    def __init__(self, config: Optional[Config] = None):
        super().__init__()
        self.config = config or Config()
        self.qkv_proj = Projections(self.config)
        self.o_proj = nn.Linear(self.config.hidden_dim, self.config.hidden_dim)
        self.attn_dropout = nn.Dropout(self.config.dropout)

    def forward(self, x, attention_mask: Optional[torch.Tensor] = None):
        q, k, v = self.qkv_proj(x)
        scores = torch.einsum("btd,bsd->bts", q, k).mul_(self.config.hidden_dim ** -0.5)
        if attention_mask is not None:
            scores.masked_fill_(attention_mask.logical_not(), torch.finfo(scores.dtype).min)
        weights = self.attn_dropout(torch.softmax(scores, dim=-1))
        return self.o_proj(torch.einsum("bts,bsd->btd", weights, v))
