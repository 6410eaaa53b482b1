from __future__ import annotations

from typing import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class Residual(nn.Sequential):
    def forward(self, x: Tensor) -> Tensor:
        return x + super().forward(x)


class Heads(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.maps = nn.ModuleDict(
            {
                name: nn.Sequential(
                    nn.Linear(width, width, bias=False), nn.Unflatten(-1, (heads, width // heads))
                )
                for name in ("query", "key", "value")
            }
        )
        self.join = nn.Sequential(nn.Flatten(2), nn.Linear(width, width))
        self.scale = (width // heads) ** -0.5

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (layer(x).transpose(1, 2) for layer in self.maps.values())
        scores = q @ k.mT * self.scale
        future = torch.ones_like(scores, dtype=torch.bool).triu(1)
        mixed = scores.masked_fill(future, float("-inf")).softmax(-1) @ v
        return self.join(mixed.transpose(1, 2))


PARTS: dict[str, Callable[[int, int], nn.Module]] = {
    "attention": lambda d, h: Heads(d, h),
    "mlp": lambda d, h: nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d)),
}


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.block_size = block_size
        self.tokens = nn.Embedding(vocab_size, hidden_dim)
        self.places = nn.Embedding(block_size, hidden_dim)
        part = lambda name: Residual(
            nn.LayerNorm(hidden_dim), PARTS[name](hidden_dim, num_heads), nn.Dropout(dropout)
        )
        self.body = nn.Sequential(*(part(n) for _ in range(num_layers) for n in PARTS))
        self.norm = nn.LayerNorm(hidden_dim)
        self.head = nn.Linear(hidden_dim, vocab_size, bias=False)
        nn.init.normal_(self.tokens.weight, std=0.02)
        nn.init.normal_(self.places.weight, std=0.02)
        self.head.weight.data = self.tokens.weight.data

    def forward(self, tokens: Tensor) -> Tensor:
        where = torch.arange(tokens.shape[1], device=tokens.device)
        return self.head(self.norm(self.body(self.tokens(tokens) + self.places(where))))


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    return F.cross_entropy(logits[:, :-1].mT, tokens[:, 1:], ignore_index=PADDING)


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    optimizer = torch.optim.AdamW(model.train().parameters(), lr=learning_rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: 1 - k / steps)

    def step() -> float:
        optimizer.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        schedule.step()
        return loss.item()

    return [step() for _ in range(steps)]


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return (logits[:, -1] / temperature).softmax(dim=-1)


PICKERS: dict[bool, Callable[[Tensor, float], Tensor]] = {
    True: lambda y, _: y[:, -1].argmax(-1, keepdim=True),
    False: lambda y, t: next_token_probabilities(y, t).multinomial(1),
}


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    pick = PICKERS[temperature == 0]
    for _ in range(count):
        logits = model(tokens[:, -model.block_size :])
        tokens = torch.cat((tokens, pick(logits, temperature)), dim=1)
    return tokens
