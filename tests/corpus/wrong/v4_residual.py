# wrong: v4 residual-added line 27
from dataclasses import dataclass
import torch
import torch.nn as nn


@dataclass
class Config:
    hidden_dim: int
    dropout: float = 0.1


class SelfAttentionV4(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.qkv = nn.Linear(config.hidden_dim, 3 * config.hidden_dim)
        self.o = nn.Linear(config.hidden_dim, config.hidden_dim)
        self.drop = nn.Dropout(config.dropout)

    def forward(self, x, attention_mask=None):
        residual = x
        q, k, v = self.qkv(x).chunk(3, -1)
        s = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, torch.finfo(s.dtype).min)
        x = self.o(self.drop(s.softmax(-1)) @ v)
        x += residual
        return x
