from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

PADDING = 0


class LanguageModel(Protocol):
    block_size: int

    def __call__(self, tokens: Tensor) -> Tensor: ...


@dataclass(frozen=True)
class Shape:
    width: int
    heads: int
    rate: float

    @property
    def head(self) -> int:
        return self.width // self.heads


class Mix(nn.Module):
    def __init__(self, s: Shape) -> None:
        super().__init__()
        self.s = s
        self.norm = nn.LayerNorm(s.width)
        self.ask, self.tell, self.say, self.join = (nn.Linear(s.width, s.width) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        y = self.norm(x)
        q, k, v = (f(y).view(b, t, self.s.heads, self.s.head) for f in (self.ask, self.tell, self.say))
        future = torch.full((t, t), float("-inf"), dtype=x.dtype, device=x.device).triu(1)
        w = (torch.einsum("bqhd,bkhd->bhqk", q, k) / self.s.head**0.5 + future).softmax(-1)
        w = F.dropout(w, self.s.rate, self.training)
        return x + self.join(torch.einsum("bhqk,bkhd->bqhd", w, v).reshape(b, t, -1))


class Think(nn.Sequential):
    def __init__(self, s: Shape) -> None:
        super().__init__(
            nn.LayerNorm(s.width), nn.Linear(s.width, 4 * s.width), nn.GELU(),
            nn.Linear(4 * s.width, s.width), nn.Dropout(s.rate),
        )

    def forward(self, x: Tensor) -> Tensor:
        return x + super().forward(x)


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        s = Shape(hidden_dim, num_heads, dropout)
        self.block_size = block_size
        self.table = nn.Parameter(torch.randn(vocab_size, hidden_dim) * 0.02)
        self.place = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        self.body = nn.Sequential(*(part(s) for _ in range(num_layers) for part in (Mix, Think)))
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor) -> Tensor:
        x = F.embedding(tokens, self.table) + self.place[: tokens.size(1)]
        return F.linear(self.norm(self.body(x)), self.table)


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=PADDING)


def configure_optimizer(model: nn.Module, learning_rate: float) -> torch.optim.Optimizer:
    # matrices and embeddings decay; biases and norms don't
    params = [p for p in model.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in params if p.dim() >= 2], "weight_decay": 0.01},
        {"params": [p for p in params if p.dim() < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW([g for g in groups if g["params"]], lr=learning_rate)


def train(model: LanguageModel, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optimizer, losses = configure_optimizer(model, learning_rate), []
    for k in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * (1 - k / steps)
        loss = next_token_loss(model(tokens), tokens)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return torch.softmax(logits[:, -1] / temperature, dim=-1)


@torch.no_grad()
def generate(model: LanguageModel, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    while count > 0:
        logits = model(tokens[:, -model.block_size :])
        p = next_token_probabilities(logits, temperature or 1.0)
        nxt = p.multinomial(1) if temperature else logits[:, -1:].argmax(-1)
        tokens, count = torch.cat([tokens, nxt], 1), count - 1
    return tokens
