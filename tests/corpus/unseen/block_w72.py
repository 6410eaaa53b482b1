# attn-kata: block
import math
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class BlockConfig:
    hidden_dim: int
    num_heads: int
    mlp_ratio: int = 4
    layer_norm_eps: float = 1e-6
    use_bias: bool = True

    @property
    def head_dim(self):
        return self.hidden_dim // self.num_heads


class CausalAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.query = nn.Linear(cfg.hidden_dim, cfg.hidden_dim, bias=cfg.use_bias)
        self.key = nn.Linear(cfg.hidden_dim, cfg.hidden_dim, bias=cfg.use_bias)
        self.value = nn.Linear(cfg.hidden_dim, cfg.hidden_dim, bias=cfg.use_bias)
        self.out = nn.Linear(cfg.hidden_dim, cfg.hidden_dim, bias=cfg.use_bias)

    def forward(self, h):
        split = (*h.shape[:-1], self.cfg.num_heads, self.cfg.head_dim)
        q, k, v = self.query(h).view(split), self.key(h).view(split), self.value(h).view(split)
        logits = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(self.cfg.head_dim)
        t = h.size(1)
        mask = torch.tril(torch.ones(t, t, device=h.device, dtype=torch.bool))
        logits = logits.masked_fill(~mask, float("-inf"))
        y = torch.einsum("bhqk,bkhd->bqhd", logits.softmax(dim=-1), v)
        return self.out(y.reshape(h.shape))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        cfg = BlockConfig(hidden_dim, num_heads)
        self.ln_attn = nn.LayerNorm(hidden_dim, eps=cfg.layer_norm_eps)
        self.ln_mlp = nn.LayerNorm(hidden_dim, eps=cfg.layer_norm_eps)
        self.attn = CausalAttention(cfg)
        self.up = nn.Linear(hidden_dim, cfg.mlp_ratio * hidden_dim)
        self.down = nn.Linear(cfg.mlp_ratio * hidden_dim, hidden_dim)
        self.act = nn.GELU()

    def forward(self, x):
        x = x + self.attn(self.ln_attn(x))
        return x + self.down(self.act(self.up(self.ln_mlp(x))))
