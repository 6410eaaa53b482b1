# right: block
from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Type

import torch
import torch.nn as nn


@dataclass
class Config:
    n_embd: int
    n_head: int
    bias: bool = True
    attn_bias: bool = False
    norm_eps: float = 1e-5
    norm_class_name: str = "LayerNorm"
    intermediate_size: int | None = None
    head_size: int | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.head_size is None:
            assert self.n_embd % self.n_head == 0
            self.head_size = self.n_embd // self.n_head
        if self.intermediate_size is None:
            self.intermediate_size = 4 * self.n_embd

    @property
    def norm_class(self) -> Type[nn.Module]:
        return getattr(nn, self.norm_class_name)


class CausalSelfAttention(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        shape = (config.n_head + 2 * config.n_head) * config.head_size
        # key, query, value projections for all heads, but in a batch
        self.qkv = nn.Linear(config.n_embd, shape, bias=config.attn_bias)
        # output projection
        self.proj = nn.Linear(config.head_size * config.n_head, config.n_embd, bias=config.bias)
        self.config = config

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        B, T, C = x.size()
        qkv = self.qkv(x)

        # assemble into a number of query groups (one per head here)
        total_qkv = 3
        qkv = qkv.view(B, T, self.config.n_head, total_qkv, self.config.head_size)
        qkv = qkv.permute(0, 2, 3, 1, 4)  # (B, n_head, total_qkv, T, hs)

        # split batched computation into three
        q, k, v = qkv.split((1, 1, 1), dim=2)
        q = q.reshape(B, -1, T, self.config.head_size)
        k = k.reshape(B, -1, T, self.config.head_size)
        v = v.reshape(B, -1, T, self.config.head_size)

        y = self.attend(q, k, v)
        y = y.reshape(B, T, self.config.head_size * self.config.n_head)
        return self.proj(y)

    def attend(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        scale = 1.0 / math.sqrt(self.config.head_size)
        T = q.size(2)
        mask = torch.ones(T, T, dtype=q.dtype, device=q.device).triu(diagonal=1)
        mask.masked_fill_(mask.bool(), float("-inf"))
        att = (q * scale) @ k.mT + mask
        return (torch.softmax(att, dim=-1) @ v).transpose(1, 2)


class GptNeoxMLP(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.fc = nn.Linear(config.n_embd, config.intermediate_size, bias=config.bias)
        self.proj = nn.Linear(config.intermediate_size, config.n_embd, bias=config.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.fc(x)
        x = torch.nn.functional.gelu(x, approximate="none")
        return self.proj(x)


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        config = Config(n_embd=hidden_dim, n_head=num_heads)
        self.norm_1 = config.norm_class(config.n_embd, eps=config.norm_eps)
        self.attn = CausalSelfAttention(config)
        self.norm_2 = config.norm_class(config.n_embd, eps=config.norm_eps)
        self.mlp = GptNeoxMLP(config)
        self.config = config

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """
        Non-parallel residual       Parallel residual (not this one)
           ┌─ x                     ┌─ x ──────────────────┐
           │  ↓                     │  ↓                   ↓
           │  norm_1                │  norm_1    ───────►  norm_2
           │  ↓                     │  ↓                   ↓
           │  attn                  │  attn                MLP
           │  ↓                     │  ↓                   ↓
        ┌─ └► +                     └► + ◄─────────────────┘
        │     ↓
        │     norm_2
        │     ↓
        │     MLP
        │     ↓
        └───► +
        """
        x_normed = self.norm_1(x)
        attention_output = self.attn(x_normed)
        x = attention_output + x
        x = self.mlp(self.norm_2(x)) + x
        return x
