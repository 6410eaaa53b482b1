# right: minigpt
from __future__ import annotations

import math
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class Shape(NamedTuple):
    hidden_dim: int
    num_heads: int
    dropout: float

    @property
    def head_dim(self) -> int:
        return self.hidden_dim // self.num_heads


class Attention(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.to_q = nn.Linear(shape.hidden_dim, shape.hidden_dim)
        self.to_kv = nn.Linear(shape.hidden_dim, 2 * shape.hidden_dim)
        self.to_out = nn.Linear(shape.hidden_dim, shape.hidden_dim)

    def heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.shape.num_heads, self.shape.head_dim)).transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        q = self.heads(self.to_q(x))
        k, v = map(self.heads, self.to_kv(x).chunk(2, dim=-1))
        scores = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(self.shape.head_dim)
        n = x.shape[1]
        causal = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()
        weights = scores.masked_fill(~causal, torch.finfo(scores.dtype).min).softmax(dim=-1)
        weights = F.dropout(weights, self.shape.dropout, self.training)
        mixed = torch.einsum("bhij,bhjd->bihd", weights, v)
        return self.to_out(mixed.flatten(2))


class PreNorm(nn.Module):
    """x + fn(norm(x))"""

    def __init__(self, dim: int, fn: nn.Module) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fn = fn

    def forward(self, x: Tensor) -> Tensor:
        return x + self.fn(self.norm(x))


def mlp(dim: int) -> nn.Module:
    return nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        shape = Shape(hidden_dim, num_heads, dropout)
        self.block_size = block_size
        self.token_emb = nn.Embedding(vocab_size, hidden_dim)
        self.pos_emb = nn.Embedding(block_size, hidden_dim)
        branches = []
        for _ in range(num_layers):
            branches += [PreNorm(hidden_dim, Attention(shape)), PreNorm(hidden_dim, mlp(hidden_dim))]
        self.branches = nn.Sequential(*branches)
        self.norm = nn.LayerNorm(hidden_dim)
        self.to_logits = nn.Linear(hidden_dim, vocab_size, bias=False)
        self.to_logits.weight = self.token_emb.weight

    def forward(self, tokens: Tensor) -> Tensor:
        places = torch.arange(tokens.shape[-1], device=tokens.device)
        x = self.token_emb(tokens) + self.pos_emb(places)
        return self.to_logits(self.norm(self.branches(x)))


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    return F.cross_entropy(
        logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=PADDING
    )


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * (1 - step / steps)
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    *_, last = logits.unbind(dim=1)
    return F.softmax(last / temperature, dim=-1)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    text = tokens
    for _ in range(count):
        logits = model(text[:, -model.block_size :])
        if temperature == 0:
            following = logits[:, -1].argmax(dim=-1)
        else:
            following = torch.multinomial(next_token_probabilities(logits, temperature), 1).squeeze(1)
        text = torch.cat([text, following[:, None]], dim=1)
    return text
