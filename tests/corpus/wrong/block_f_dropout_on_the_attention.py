# wrong: block dropout-in-eval line 38
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class BlockConfig:
    hidden_dim: int
    num_heads: int
    dropout: float = 0.1

    @property
    def head_dim(self):
        return self.hidden_dim // self.num_heads


class Attention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.query = nn.Linear(cfg.hidden_dim, cfg.hidden_dim)
        self.key = nn.Linear(cfg.hidden_dim, cfg.hidden_dim)
        self.value = nn.Linear(cfg.hidden_dim, cfg.hidden_dim)
        self.proj = nn.Linear(cfg.hidden_dim, cfg.hidden_dim)

    def forward(self, x):
        cfg = self.cfg
        b, t, _ = x.shape
        q = self.query(x).view(b, t, cfg.num_heads, cfg.head_dim).permute(0, 2, 1, 3)
        k = self.key(x).view(b, t, cfg.num_heads, cfg.head_dim).permute(0, 2, 3, 1)
        v = self.value(x).view(b, t, cfg.num_heads, cfg.head_dim).permute(0, 2, 1, 3)
        att = torch.matmul(q, k) / cfg.head_dim ** 0.5
        att = att.masked_fill(torch.ones_like(att[0, 0], dtype=torch.bool).triu(1), float("-inf"))
        att = F.softmax(att, dim=-1)
        att = F.dropout(att, p=cfg.dropout)
        y = torch.matmul(att, v).permute(0, 2, 1, 3).reshape(b, t, -1)
        return self.proj(y)


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        cfg = BlockConfig(hidden_dim, num_heads)
        self.attn_norm = nn.LayerNorm(hidden_dim)
        self.attn = Attention(cfg)
        self.mlp_norm = nn.LayerNorm(hidden_dim)
        self.mlp = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim),
            nn.GELU(),
            nn.Linear(4 * hidden_dim, hidden_dim),
            nn.Dropout(cfg.dropout),
        )

    def forward(self, x):
        x = x + self.attn(self.attn_norm(x))
        return x + self.mlp(self.mlp_norm(x))
