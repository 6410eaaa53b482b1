from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attention(self, u: Tensor, seen: Tensor) -> Tensor:
        q, k, v = self.qkv(u).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        weights = scores.masked_fill(~seen, torch.finfo(scores.dtype).min).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        x = x + self.attention(self.norm_1(x), seen)
        return x + self.down(F.gelu(self.up(self.norm_2(x))))


def mean_of_real(vectors: Tensor, real: Tensor) -> Tensor:
    kept = vectors.masked_fill(~real.unsqueeze(-1), 0)
    return kept.sum(dim=1) / real.sum() * real.shape[0]


class GPTClassifier(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        num_classes: int,
    ) -> None:  # fmt: skip
        super().__init__()
        self.token_table = nn.Embedding(vocab_size, hidden_dim)
        self.place_table = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(Block(hidden_dim, num_heads) for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_dim)
        self.head = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        real = mask.bool()
        n = tokens.shape[1]
        places = (real.long().cumsum(dim=1) - 1).clamp(min=0)
        past = torch.ones(n, n, dtype=torch.bool, device=tokens.device).tril()
        seen = past & real[:, None, None, :]
        x = self.token_table(tokens) + self.place_table(places)
        for block in self.blocks:
            x = block(x, seen)
        return self.head(mean_of_real(self.final_norm(x), real))
