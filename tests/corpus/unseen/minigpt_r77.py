from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import torch
from torch import Tensor, nn

PADDING = 0


class Tied(nn.Module):
    """A table that is read both ways: __getitem__ looks tokens up, forward makes logits."""

    def __init__(self, rows: int, width: int) -> None:
        super().__init__()
        self.columns = nn.Parameter(torch.randn(width, rows) * 0.02)    # one token is one column

    def __getitem__(self, index: Tensor) -> Tensor:
        return self.columns.T.index_select(0, index.flatten()).unflatten(0, index.shape)

    def forward(self, x: Tensor) -> Tensor:
        return torch.tensordot(x, self.columns, 1)


class Head(nn.Module):
    def __init__(self, wide: int, narrow: int) -> None:
        super().__init__()
        self.qkv, self.back = nn.Linear(wide, 3 * narrow), nn.Linear(narrow, wide, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, -1)
        s = q @ k.mT / q.shape[-1] ** 0.5
        lower = torch.tril(torch.ones(s.shape[-2:], device=x.device))
        return self.back(torch.softmax(s.masked_fill(lower == 0, -torch.inf), -1) @ v)


class Heads(nn.ModuleList):
    def forward(self, x: Tensor) -> Tensor:
        return sum(head(x) for head in self)


def mlp(n: int) -> nn.Module:
    return nn.Sequential(nn.Linear(n, 4 * n), nn.GELU(), nn.Linear(4 * n, n))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
                 dropout: float = 0.0) -> None:
        super().__init__()
        self.block_size = block_size
        self.tokens, self.places = Tied(vocab_size, hidden_dim), Tied(block_size, hidden_dim)
        self.branches = nn.ModuleList()
        for _ in range(num_layers):
            heads = Heads(Head(hidden_dim, hidden_dim // num_heads) for _ in range(num_heads))
            for branch in (heads, mlp(hidden_dim)):
                self.branches.append(nn.Sequential(nn.LayerNorm(hidden_dim), branch, nn.Dropout(dropout)))
        self.last = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.tokens[tokens] + self.places[torch.arange(tokens.shape[1], device=tokens.device)]
        for branch in self.branches:
            x = x + branch(x)
        return self.tokens(self.last(x))


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    target = torch.nn.functional.pad(tokens[:, 1:], (0, 1), value=PADDING).long().unsqueeze(-1)
    surprise = logits.logsumexp(-1) - logits.gather(-1, target).squeeze(-1)
    counts = target.squeeze(-1).ne(PADDING)
    return surprise.masked_fill(~counts, 0).sum() / counts.sum()


def lessons(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> Iterator[float]:
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: 1 - k / steps)
    while True:
        optimizer.zero_grad(set_to_none=True)
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1)
        optimizer.step()
        schedule.step()
        yield loss.item()


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    return list(islice(lessons(model, tokens, steps, learning_rate), steps))


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return nn.Softmax(dim=-1)(logits.select(1, -1).div(temperature))


@contextmanager
def evaluating(model: nn.Module) -> Iterator[Any]:
    model.eval()
    with torch.no_grad():
        yield model


def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    with evaluating(model) as m:
        for _ in range(count):
            logits = m(tokens[:, max(0, tokens.shape[1] - m.block_size):])
            if temperature == 0:
                new = logits[:, -1:].argmax(-1)
            else:
                p = next_token_probabilities(logits, temperature)
                new = torch.distributions.Categorical(probs=p).sample().unsqueeze(1)
            tokens = torch.hstack([tokens, new.to(tokens.dtype)])
    return tokens
