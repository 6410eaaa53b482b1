from __future__ import annotations

import torch
from torch import Tensor, nn


class SelfAttention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.output = nn.Linear(width, width)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        q, k, v = (
            proj(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for proj in (self.query, self.key, self.value)
        )
        scores = torch.matmul(q, k.mT) / q.shape[-1] ** 0.5 + bias.to(q.dtype)
        weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)  # rows of pure padding
        return self.output(torch.matmul(weights, v).transpose(1, 2).flatten(2))


class Mlp(nn.Sequential):
    def __init__(self, width: int) -> None:
        super().__init__(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))


class GPTClassifier(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int, num_classes: int
    ) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab_size, hidden_dim)
        self.place = nn.Embedding(block_size, hidden_dim)
        self.attention = nn.ModuleList(SelfAttention(hidden_dim, num_heads) for _ in range(num_layers))
        self.mlp = nn.ModuleList(Mlp(hidden_dim) for _ in range(num_layers))
        self.norms = nn.ModuleList(nn.LayerNorm(hidden_dim) for _ in range(2 * num_layers + 1))
        self.classify = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        real = mask.bool()
        length = tokens.shape[1]
        seen = torch.tril(torch.ones(length, length, device=tokens.device)).bool() & real[:, None, None, :]
        bias = torch.zeros(seen.shape, device=tokens.device).masked_fill(~seen, float("-inf"))
        places = (real.cumsum(1) - 1).clamp(min=0)
        x = self.embed(tokens) + self.place(places)
        for i, (attention, mlp) in enumerate(zip(self.attention, self.mlp)):
            x = x + attention(self.norms[2 * i](x), bias)
            x = x + mlp(self.norms[2 * i + 1](x))
        x = self.norms[-1](x)
        x = torch.where(real[..., None], x, torch.zeros_like(x))
        return self.classify(x.sum(1) / real.sum(1, keepdim=True).to(x.dtype))
