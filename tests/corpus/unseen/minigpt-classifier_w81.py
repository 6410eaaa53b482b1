from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.norm_1, self.norm_2 = nn.LayerNorm(hidden_dim), nn.LayerNorm(hidden_dim)
        self.qkv, self.out = nn.Linear(hidden_dim, 3 * hidden_dim), nn.Linear(hidden_dim, hidden_dim)
        self.up, self.down = nn.Linear(hidden_dim, 4 * hidden_dim), nn.Linear(4 * hidden_dim, hidden_dim)

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        q, k, v = (t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                   for t in self.qkv(self.norm_1(x)).chunk(3, dim=-1))
        scores = q @ k.mT / math.sqrt(q.size(-1))
        weights = scores.masked_fill(~seen, torch.finfo(scores.dtype).min).softmax(dim=-1)
        x = x + self.out((weights @ v).transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm_2(x))))


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
                 num_classes: int) -> None:
        super().__init__()
        self.token = nn.Embedding(vocab_size, hidden_dim)
        self.place = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(Block(hidden_dim, num_heads) for _ in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)
        self.head = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        length = tokens.size(1)
        places = (mask.cumsum(dim=1) - 1).clamp(min=0).long()
        past = torch.ones(length, length, dtype=torch.bool, device=tokens.device).tril()
        seen = past & (mask != 0)[:, None, None, :]
        x = self.token(tokens) + self.place(places)
        for block in self.blocks:
            x = block(x, seen)
        x = self.norm(x)
        real = (mask != 0).unsqueeze(-1)
        mean = (x * real).sum(dim=1) / real.sum(dim=1)
        return self.head(mean)
