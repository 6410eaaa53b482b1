from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class Layer(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.proj = nn.Linear(width, width, bias=False)
        self.fc = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.dropout = nn.Dropout(dropout)

    def attend(self, u: Tensor) -> Tensor:
        q, k, v = self.qkv(u).unflatten(-1, (3, self.heads, -1)).unbind(2)
        logits = torch.einsum("bihd,bjhd->bhij", q, k) / math.sqrt(q.shape[-1])
        later = torch.triu(torch.ones_like(logits, dtype=torch.bool), 1)
        weights = torch.where(later, -math.inf, logits).softmax(-1)
        return self.proj(torch.einsum("bhij,bjhd->bihd", weights, v).flatten(2))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.dropout(self.attend(self.norms[0](x)))
        return x + self.dropout(self.fc(self.norms[1](x)))


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.token_table = nn.Parameter(0.02 * torch.randn(vocab_size, hidden_dim))
        self.place_table = nn.Parameter(0.02 * torch.randn(block_size, hidden_dim))
        self.layers = nn.ModuleList(Layer(hidden_dim, num_heads, dropout) for _ in range(num_layers))
        self.final = nn.LayerNorm(hidden_dim)

    def embed(self, tokens: Tensor) -> Tensor:
        return F.embedding(tokens, self.token_table) + self.place_table[: tokens.shape[1]]

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embed(tokens)
        for layer in self.layers:
            h = layer(x)
        return F.linear(self.final(h), self.token_table)


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    guesses, wanted = logits[:, :-1], tokens[:, 1:]
    counts = wanted != PADDING
    return F.cross_entropy(guesses[counts], wanted[counts])


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    parameters = list(model.parameters())
    optimizer = torch.optim.AdamW(parameters, lr=learning_rate)
    losses: list[float] = []
    for k in range(steps):
        optimizer.param_groups[0]["lr"] = learning_rate * (1 - k / steps)
        loss = next_token_loss(model(tokens), tokens)
        losses.append(loss.item())
        model.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return torch.softmax(logits[:, -1] / temperature, dim=1)


@torch.inference_mode()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    text = tokens
    while text.shape[1] < tokens.shape[1] + count:
        logits = model(text[:, -model.block_size :])
        if temperature:
            chosen = next_token_probabilities(logits, temperature).multinomial(1)
        else:
            chosen = logits[:, -1:].argmax(dim=-1)
        text = torch.cat([text, chosen], dim=1)
    return text
