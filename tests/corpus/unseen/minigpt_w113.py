from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR

PADDING = 0


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        t = x.shape[1]
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        future = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        weights = self.dropout(scores.masked_fill(future, float("-inf")).softmax(-1))
        return self.out((weights @ v).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, dim: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.norm_1 = nn.LayerNorm(dim)
        self.attention = Attention(dim, heads, dropout)
        self.norm_2 = nn.LayerNorm(dim)
        self.up = nn.Linear(dim, 4 * dim)
        self.down = nn.Linear(4 * dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        attended = x + self.attention(self.norm_1(x))
        return attended + self.down(F.gelu(self.up(self.norm_2(attended))))


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.block_size = block_size
        self.token = nn.Embedding(vocab_size, hidden_dim)
        self.position = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.Sequential(*(Block(hidden_dim, num_heads, dropout) for _ in range(num_layers)))
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.token(tokens) + self.position.weight[: tokens.shape[1]]
        return F.linear(self.norm(self.blocks(x)), self.token.weight)


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    guesses = logits[:, :-1].flatten(0, 1)
    targets = tokens[:, 1:].flatten()
    return F.cross_entropy(guesses, targets, ignore_index=PADDING)


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    scheduler = LambdaLR(optimizer, lambda step: 1 - step / steps)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=True)
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        scheduler.step()
        optimizer.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return (logits[:, -1] / temperature).softmax(dim=-1)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    text = tokens
    for _ in range(count):
        logits = model(text[:, -model.block_size :])
        if temperature == 0:
            following = logits[:, -1].argmax(dim=-1, keepdim=True)
        else:
            following = torch.multinomial(next_token_probabilities(logits, temperature), num_samples=1)
        text = torch.cat([text, following], dim=1)
    return text
