# wrong: minigpt layers-shared line 51
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class Layer(nn.Module):
    """Attention and MLP with raw weights, both behind a norm of their own."""

    def __init__(self, dim: int, heads: int, p: float) -> None:
        super().__init__()
        self.heads, self.p = heads, p
        std = dim**-0.5
        self.qkv = nn.Parameter(torch.randn(3, heads, dim, dim // heads) * std)
        self.out = nn.Parameter(torch.randn(heads, dim // heads, dim) * std)
        self.up = nn.Parameter(torch.randn(dim, 4 * dim) * std)
        self.up_bias = nn.Parameter(torch.zeros(4 * dim))
        self.down = nn.Parameter(torch.randn(4 * dim, dim) * std / 2)
        self.down_bias = nn.Parameter(torch.zeros(dim))
        self.norm_1, self.norm_2 = nn.LayerNorm(dim), nn.LayerNorm(dim)

    def drop(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.p, self.training)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = torch.einsum("btc,nhcd->nbhtd", self.norm_1(x), self.qkv)
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(q.shape[-1])
        t = torch.arange(x.shape[1], device=x.device)
        scores = torch.where(t[:, None] >= t, scores, torch.full_like(scores, -torch.inf))
        mixed = torch.einsum("bhqk,bhkd->bhqd", scores.softmax(-1), v)
        x = x + self.drop(torch.einsum("bhqd,hdc->bqc", mixed, self.out))
        hidden = F.gelu(self.norm_2(x) @ self.up + self.up_bias)
        return x + self.drop(hidden @ self.down + self.down_bias)


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.block_size = block_size
        self.tokens = nn.Parameter(torch.randn(vocab_size, hidden_dim) * 0.02)
        self.places = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        self.layers = nn.Sequential(*[Layer(hidden_dim, num_heads, dropout)] * num_layers)
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor) -> Tensor:
        x = F.embedding(tokens, self.tokens) + self.places[: tokens.shape[1]]
        return F.linear(self.norm(self.layers(x)), self.tokens)


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    labels = tokens[:, 1:]
    real = labels.ne(PADDING)
    surprise = -logits[:, :-1].log_softmax(-1).gather(-1, labels.unsqueeze(-1)).squeeze(-1)
    return surprise[real].mean()


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    optimizer = torch.optim.AdamW(model.train().parameters(), lr=learning_rate)

    def step(k: int) -> float:
        optimizer.param_groups[0]["lr"] = learning_rate * (1 - k / steps)
        optimizer.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1)
        optimizer.step()
        return loss.item()

    return [step(k) for k in range(steps)]


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return logits[:, -1].div(temperature).softmax(-1)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    while count > 0:
        logits = model(tokens[:, -model.block_size :])
        if temperature:
            following = next_token_probabilities(logits, temperature).multinomial(1)
        else:
            following = logits[:, -1].argmax(-1, keepdim=True)
        tokens, count = torch.cat([tokens, following], 1), count - 1
    return tokens
