from __future__ import annotations

import contextlib
from typing import Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING: int = 0


@contextlib.contextmanager
def mode(model: nn.Module, training: bool) -> Iterator[None]:
    """In the mode asked for, and afterwards back in the one before."""
    before = model.training
    model.train(training)
    try:
        yield
    finally:
        model.train(before)


class Layer(nn.Module):
    def __init__(self, width: int, heads: int, p: float) -> None:
        super().__init__()
        narrow = width // heads
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.qkv = nn.Parameter(torch.randn(3, heads, width, narrow) * width**-0.5)
        self.out = nn.Parameter(torch.randn(heads, narrow, width) * width**-0.5)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU("none"), nn.Linear(4 * width, width))
        self.drop = nn.Dropout(p)

    def attend(self, u: Tensor) -> Tensor:
        q, k, v = torch.einsum("btw,shwn->sbhtn", u, self.qkv)
        s = (q * q.size(-1) ** -0.5) @ k.mT
        row = torch.arange(u.size(1), device=u.device)
        s = s + torch.zeros_like(s[0, 0]).masked_fill(row[:, None] < row, -torch.inf)
        return torch.einsum("bhtn,hnw->btw", s.softmax(-1) @ v, self.out)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.drop(self.attend(self.norms[0](x)))
        return x + self.drop(self.mlp(self.norms[1](x)))


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.tables = nn.ParameterList(
            [nn.Parameter(torch.randn(vocab_size, hidden_dim) * 0.02), nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)]
        )
        self.layers = nn.Sequential(*[Layer(hidden_dim, num_heads, dropout) for _ in range(num_layers)])
        self.last = nn.LayerNorm(hidden_dim)

    @property
    def block_size(self) -> int:
        return self.tables[1].shape[0]

    def forward(self, tokens: Tensor) -> Tensor:
        token_table, place_table = self.tables
        x = F.embedding(tokens, token_table) + place_table[: tokens.size(1)]
        return F.linear(self.last(self.layers(x)), token_table)


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    wanted = tokens[:, 1:].long()
    logp = logits[:, :-1].log_softmax(-1).take_along_dim(wanted[..., None], dim=-1).squeeze(-1)
    counts = (wanted != PADDING).to(logp.dtype)
    return -(logp * counts).sum() / counts.sum()


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    losses: list[float] = []
    weights = [w for w in model.parameters() if w.requires_grad]
    adam = torch.optim.AdamW(weights)
    with mode(model, True):
        for k in range(steps):
            for group in adam.param_groups:
                group["lr"] = learning_rate * (1 - k / steps)
            adam.zero_grad()
            loss = next_token_loss(model(tokens), tokens)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(weights, max_norm=1)
            adam.step()
            losses.append(float(loss.detach()))
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    last = logits.select(1, -1) / temperature
    return torch.exp(last - last.logsumexp(-1, keepdim=True))


def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    text = tokens.clone()
    with torch.no_grad(), mode(model, False):
        while text.size(1) < tokens.size(1) + count:
            logits = model(text.narrow(1, max(0, text.size(1) - model.block_size), min(text.size(1), model.block_size)))
            if temperature:
                token = next_token_probabilities(logits, temperature).multinomial(num_samples=1)
            else:
                token = logits[:, -1:].argmax(dim=-1)
            text = torch.cat([text, token.to(text.dtype)], dim=1)
    return text
