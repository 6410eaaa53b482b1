from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class Block(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.drop = nn.Dropout(dropout)

    def attention(self, u: Tensor) -> Tensor:
        q, k, v = self.qkv(u).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        n = u.shape[1]
        late = torch.ones(n, n, dtype=torch.bool, device=u.device).triu(1)
        scores = (q @ k.mT / math.sqrt(q.shape[-1])).masked_fill(late, -math.inf)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.drop(self.attention(self.norm_1(x)))
        return x + self.drop(self.mlp(self.norm_2(x)))


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.block_size = block_size
        self.token_table = nn.Embedding(vocab_size, hidden_dim)
        self.place_table = nn.Embedding(block_size, hidden_dim)
        nn.init.normal_(self.token_table.weight, std=0.02)
        self.blocks = nn.ModuleList(Block(hidden_dim, num_heads, dropout) for _ in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor) -> Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.token_table(tokens) + self.place_table(places)
        for block in self.blocks:
            x = block(x)
        return F.linear(self.norm(x), self.token_table.weight)


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    guesses, wanted = logits[:, :-1], tokens[:, 1:]
    return F.cross_entropy(guesses.flatten(0, 1), wanted.flatten(), ignore_index=PADDING)


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * (1 - step / steps)
        loss = next_token_loss(model(tokens), tokens)
        optimizer.zero_grad()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return (logits[:, -1] / temperature).softmax(dim=-1)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size :])
        if temperature == 0:
            new = logits[:, -1].argmax(dim=-1, keepdim=True)
        else:
            new = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
