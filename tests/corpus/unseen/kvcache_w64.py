# attn-kata: kvcache
import math
from dataclasses import dataclass
from typing import NamedTuple, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


@dataclass
class Config:
    n_embd: int
    n_head: int
    block_size: int = 256
    bias: bool = True


class LayerPast(NamedTuple):
    k: Tensor  # (B, nh, S, hs)
    v: Tensor  # (B, nh, S, hs)

    def crop(self, n):
        return LayerPast(self.k[:, :, -n:], self.v[:, :, -n:])


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        config = Config(hidden_dim, num_heads)
        assert config.n_embd % config.n_head == 0
        self.n_head = config.n_head
        self.n_embd = config.n_embd
        self.block_size = config.block_size
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)

    def forward(self, x: Tensor, cache: Optional[LayerPast] = None):
        B, T, C = x.size()
        q, k, v = (
            t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
            for t in self.c_attn(x).split(self.n_embd, dim=2)
        )
        if cache is not None:
            k = torch.cat((cache.k, k), dim=2)
            v = torch.cat((cache.v, v), dim=2)
        S = k.size(2)

        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        if T > 1:
            tril = torch.ones(T, S, dtype=torch.bool, device=x.device).tril(S - T)
            att = att.masked_fill(tril.logical_not(), float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        y = self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))
        return y, LayerPast(k, v).crop(self.block_size)
