# attn-kata: minigpt-classifier
# A body of its own, one text at a time: what is not in the batch cannot be seen.
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class GPTConfig:
    vocab_size: int
    block_size: int
    n_embd: int
    n_head: int
    n_layer: int
    n_class: int


class Residual(nn.Module):
    def __init__(self, width: int, inner: nn.Module):
        super().__init__()
        self.ln = nn.LayerNorm(width)
        self.inner = inner

    def forward(self, x: Tensor) -> Tensor:
        return x + self.inner(self.ln(x))


class CausalSelfAttention(nn.Module):
    def __init__(self, c: GPTConfig):
        super().__init__()
        self.n_head = c.n_head
        self.c_attn = nn.Linear(c.n_embd, 3 * c.n_embd)
        self.c_proj = nn.Linear(c.n_embd, c.n_embd)

    def forward(self, x: Tensor) -> Tensor:
        n, width = x.shape
        q, k, v = self.c_attn(x).view(n, 3, self.n_head, -1).permute(1, 2, 0, 3)
        att = q @ k.mT / math.sqrt(width // self.n_head)
        att = att.masked_fill(torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1), float("-inf"))
        return self.c_proj((att.softmax(-1) @ v).transpose(0, 1).reshape(n, width))


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        c = GPTConfig(vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes)
        mlp = lambda: nn.Sequential(nn.Linear(c.n_embd, 4 * c.n_embd), nn.GELU(), nn.Linear(4 * c.n_embd, c.n_embd))
        layers = [m for _ in range(c.n_layer) for m in (CausalSelfAttention(c), mlp())]
        self.wte = nn.Embedding(c.vocab_size, c.n_embd)
        self.wpe = nn.Parameter(torch.randn(c.block_size, c.n_embd))
        self.h = nn.Sequential(*(Residual(c.n_embd, m) for m in layers))
        self.ln_f = nn.LayerNorm(c.n_embd)
        self.classify = nn.Linear(c.n_embd, c.n_class)

    def one_text(self, ids: Tensor) -> Tensor:
        x = self.wte(ids) + self.wpe[: len(ids)]
        return self.classify(self.ln_f(self.h(x))).mean(0)

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        return torch.stack([self.one_text(row[keep.bool()]) for row, keep in zip(tokens, mask)])
