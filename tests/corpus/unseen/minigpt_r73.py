from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class Branch(nn.Module):
    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.dropout(self.body(self.norm(x)))


class Head(nn.Module):
    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(width, size, bias=False) for _ in range(3))

    def forward(self, h: Tensor, future: Tensor) -> Tensor:
        k = self.k(h)
        scores = self.q(h) @ k.mT * k.size(-1) ** -0.5
        return scores.masked_fill(future, -torch.inf).softmax(-1) @ self.v(h)


class Attention(Branch):
    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__(width, dropout)
        self.heads = nn.ModuleList(Head(width, width // heads) for _ in range(heads))
        self.out = nn.Linear(width, width)

    def body(self, h: Tensor) -> Tensor:
        future = torch.ones(h.size(1), h.size(1), dtype=torch.bool, device=h.device).triu(1)
        return self.out(torch.cat([head(h, future) for head in self.heads], dim=-1))


class MLP(Branch):
    def __init__(self, width: int, dropout: float) -> None:
        super().__init__(width, dropout)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def body(self, h: Tensor) -> Tensor:
        return self.down(F.gelu(self.up(h)))


class Embed(nn.Module):
    def __init__(self, vocab: int, places: int, width: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(vocab, width).normal_(std=0.02))
        self.places = nn.Parameter(torch.empty(places, width).normal_(std=0.02))

    def encode(self, tokens: Tensor) -> Tensor:
        return F.embedding(tokens, self.table) + self.places.narrow(0, 0, tokens.size(1))

    def decode(self, x: Tensor) -> Tensor:
        return F.linear(x, self.table)


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.embed = Embed(vocab_size, block_size, hidden_dim)
        self.blocks = nn.Sequential()
        for _ in range(num_layers):
            self.blocks.append(nn.Sequential(Attention(hidden_dim, num_heads, dropout), MLP(hidden_dim, dropout)))
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor) -> Tensor:
        if tokens.size(1) > self.block_size:
            raise ValueError(f"{tokens.size(1)} tokens, at most {self.block_size} fit")
        return self.embed.decode(self.norm(self.blocks(self.embed.encode(tokens))))


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    wanted = F.pad(tokens[:, 1:], (0, 1), value=PADDING)  # nothing to guess at the end
    return F.cross_entropy(logits.transpose(1, 2), wanted, ignore_index=PADDING)


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    optimiser = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    schedule = torch.optim.lr_scheduler.LinearLR(optimiser, start_factor=1.0, end_factor=0.0, total_iters=steps)
    history = []
    model.train()
    for _ in range(steps):
        loss = next_token_loss(model(tokens), tokens)
        history.append(loss.detach().item())
        model.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(list(model.parameters()), max_norm=1.0, norm_type=2.0)
        optimiser.step()
        schedule.step()
    return history


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return torch.softmax(logits.select(1, -1).div(temperature), -1)


def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            for _ in range(count):
                logits = model(tokens[:, max(0, tokens.size(1) - model.block_size) :])
                p = next_token_probabilities(logits, temperature or 1.0)
                new = p.multinomial(1) if temperature else logits[:, -1:].argmax(-1)
                tokens = torch.hstack((tokens, new))
    finally:
        model.train(was_training)
    return tokens
