import math
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class AttnConfig:
    n_embd: int
    bias: bool = True


class SelfAttentionV2(nn.Module):

    def __init__(self, hidden_dim):
        super().__init__()
        config = AttnConfig(n_embd=hidden_dim)
        self.config = config
        # query, key, value projections in one go
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.scale = 1.0 / math.sqrt(self.c_attn.weight.size(0))

    def forward(self, x):
        q, k, v = self.c_attn(x).split(self.config.n_embd, dim=2)
        att = (q @ k.transpose(-2, -1)) * self.scale
        att = torch.softmax(att, dim=-1)
        y = att @ v  # (B, T, T) x (B, T, C) -> (B, T, C)
        return y
