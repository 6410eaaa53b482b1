# wrong: block norm-missing line 46
import math
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Config:
    hidden_size: int = 128
    num_heads: int = 4
    dropout: float = 0.1


class Attention(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.n = cfg.num_heads
        self.to_q = nn.Linear(cfg.hidden_size, cfg.hidden_size)
        self.to_k = nn.Linear(cfg.hidden_size, cfg.hidden_size)
        self.to_v = nn.Linear(cfg.hidden_size, cfg.hidden_size)
        self.to_out = nn.Linear(cfg.hidden_size, cfg.hidden_size)

    def forward(self, x):
        q, k, v = (f(x).unflatten(-1, (self.n, -1)).transpose(1, 2) for f in (self.to_q, self.to_k, self.to_v))
        w = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        w = w.masked_fill(~torch.ones(w.shape[-2:], dtype=torch.bool, device=w.device).tril(), float("-inf"))
        return self.to_out((w.softmax(-1) @ v).transpose(1, 2).flatten(-2))


class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.norm = nn.LayerNorm(cfg.hidden_size)
        self.attention = Attention(cfg)
        self.mlp = nn.Sequential(
            nn.Linear(cfg.hidden_size, 4 * cfg.hidden_size),
            nn.GELU(),
            nn.Linear(4 * cfg.hidden_size, cfg.hidden_size),
            nn.Dropout(cfg.dropout),
        )

    def forward(self, x):
        x = x + self.attention(self.norm(x))
        x = x + self.mlp(x)
        return x
