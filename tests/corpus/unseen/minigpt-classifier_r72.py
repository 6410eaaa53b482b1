from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Tiny(nn.Module):
    """Pre-norm, causal among the real tokens only: they are pushed to the front, padding behind."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.a, self.m = nn.LayerNorm(width, eps=1e-5), nn.LayerNorm(width, eps=1e-5)
        self.qkv = nn.Linear(width, 3 * width)
        self.o = nn.Linear(width, width)
        self.ff = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(self.a(x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        s = q @ k.mT / math.sqrt(q.shape[-1])
        n = x.shape[1]
        s = s.masked_fill(torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1), float("-inf"))
        x = x + self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
        return x + self.ff(self.m(x))


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        self.words = nn.Embedding(vocab_size, hidden_dim)
        self.places = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        self.body = nn.Sequential(*(Tiny(hidden_dim, num_heads) for _ in range(num_layers)), nn.LayerNorm(hidden_dim, eps=1e-5))
        self.head = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        real = mask != 0
        # a stable sort moves the real tokens to the front in their order: what is causal hides the rest
        order = (~real).to(torch.uint8).argsort(dim=1, stable=True)
        text = tokens.gather(1, order)
        count = real.sum(1)
        n = int(count.max())
        text = text[:, :n]
        x = self.body(self.words(text) + self.places[:n])
        share = (torch.arange(n, device=x.device) < count[:, None]).to(x.dtype) / count[:, None].to(x.dtype)
        return self.head(torch.einsum("bt,bte->be", share, x))
