from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass
class BlockConfig:
    n_embd: int
    n_head: int
    dropout: float = 0.0
    bias: bool = True
    expansion: int = 4
    eps: float = 1e-5


class Configured(nn.Module):
    def __init__(self, config: BlockConfig) -> None:
        super().__init__()
        self.config = config


class MLP(Configured):
    def __init__(self, config: BlockConfig) -> None:
        super().__init__(config)
        self.c_fc = nn.Linear(config.n_embd, config.expansion * config.n_embd, bias=config.bias)
        self.c_proj = nn.Linear(config.expansion * config.n_embd, config.n_embd, bias=config.bias)

    def forward(self, x: Tensor) -> Tensor:
        h = self.c_fc(x)
        return F.dropout(self.c_proj(h * torch.special.ndtr(h)), self.config.dropout, self.training)


class Attention(Configured):
    def __init__(self, config: BlockConfig) -> None:
        super().__init__(config)
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)  # per head: q, k, v
        self.c_proj = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        qkv = self.c_attn(x).view(B, T, self.config.n_head, -1).transpose(1, 2)
        q, k, v = qkv.chunk(3, dim=-1)
        bias = torch.zeros(T, T, dtype=x.dtype, device=x.device)
        bias.masked_fill_(torch.ones_like(bias, dtype=torch.bool).triu(1), float("-inf"))
        w = F.softmax(q @ k.mT * q.size(-1) ** -0.5 + bias, dim=-1)
        w = F.dropout(w, self.config.dropout, self.training)
        return self.c_proj((w @ v).transpose(1, 2).reshape(B, T, C))


class TransformerBlock(Configured):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__(BlockConfig(hidden_dim, num_heads))
        self.gain = nn.Parameter(torch.ones(2, hidden_dim))  # both norms' weights, no biases
        self.attn, self.mlp = Attention(self.config), MLP(self.config)

    def forward(self, x: Tensor) -> Tensor:
        for gain, branch in zip(self.gain, (self.attn, self.mlp)):
            x = torch.add(x, branch(F.layer_norm(x, gain.shape, gain, None, self.config.eps)))
        return x
