from __future__ import annotations

from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


@dataclass(frozen=True)
class Settings:
    vocab_size: int
    block_size: int
    hidden_dim: int
    num_heads: int
    num_layers: int
    dropout: float = 0.0


class Layer(nn.Module):
    def __init__(self, s: Settings) -> None:
        super().__init__()
        d = s.hidden_dim
        self.num_heads = s.num_heads
        self.norm_1, self.norm_2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.query, self.key, self.value, self.out = (nn.Linear(d, d) for _ in range(4))
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)
        self.dropout = nn.Dropout(s.dropout)

    def attention(self, u: Tensor) -> Tensor:
        batch, length, width = u.shape
        shape = (batch, length, self.num_heads, width // self.num_heads)
        query, key, value = (f(u).view(shape).transpose(1, 2) for f in (self.query, self.key, self.value))
        scores = query @ key.transpose(2, 3) / shape[-1] ** 0.5
        place = torch.arange(length, device=u.device)
        weights = scores.masked_fill(place > place[:, None], float("-inf")).softmax(dim=-1)
        return self.out((weights @ value).transpose(1, 2).reshape(batch, length, width))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.dropout(self.attention(self.norm_1(x)))
        return x + self.dropout(self.down(F.gelu(self.up(self.norm_2(x)))))


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        settings = Settings(vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout)
        self.hyperparameters = asdict(settings)
        self.block_size = settings.block_size
        self.token_table = nn.Embedding(settings.vocab_size, settings.hidden_dim)
        self.place_table = nn.Embedding(settings.block_size, settings.hidden_dim)
        self.layers = nn.Sequential(*(Layer(settings) for _ in range(settings.num_layers)))
        self.norm = nn.LayerNorm(settings.hidden_dim)

    def forward(self, tokens: Tensor) -> Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        stream = self.layers(self.token_table(tokens) + self.place_table(places))
        return self.norm(stream) @ self.token_table.weight.T


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:], ignore_index=PADDING)


def linear_decay(optimizer: torch.optim.Optimizer, steps: int) -> torch.optim.lr_scheduler.LRScheduler:
    return torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=1.0, end_factor=0.0, total_iters=steps)


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    schedule = linear_decay(optimizer, steps)
    history: list[float] = []
    while len(history) < steps:
        optimizer.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        schedule.step()
        optimizer.step()
        history.append(float(loss.detach()))
    return history


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return (logits[:, -1] / temperature).softmax(dim=-1)


@torch.inference_mode()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    text = tokens
    for _ in range(count):
        logits = model(text[:, -model.block_size :])
        if temperature == 0.0:
            new = logits[:, -1].argmax(-1, keepdim=True)
        else:
            new = next_token_probabilities(logits, temperature).multinomial(1)
        text = torch.cat([text, new], dim=1)
    return text
