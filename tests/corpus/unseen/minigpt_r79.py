from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


@dataclass
class Config:
    vocab_size: int
    block_size: int
    hidden_dim: int
    num_heads: int
    num_layers: int
    dropout: float = 0.0


class Block(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        self.heads = c.num_heads
        self.norm_1, self.norm_2 = nn.LayerNorm(c.hidden_dim), nn.LayerNorm(c.hidden_dim)
        self.qkv = nn.Linear(c.hidden_dim, 3 * c.hidden_dim)
        self.proj = nn.Linear(c.hidden_dim, c.hidden_dim)
        self.mlp = nn.Sequential(
            nn.Linear(c.hidden_dim, 4 * c.hidden_dim), nn.GELU(), nn.Linear(4 * c.hidden_dim, c.hidden_dim)
        )
        self.drop = nn.Dropout(c.dropout)

    def attention(self, x: Tensor) -> Tensor:
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        s = q @ k.mT / math.sqrt(q.shape[-1])
        ahead = torch.ones_like(s[0, 0], dtype=torch.bool).triu(1)
        w = self.drop(s.masked_fill(ahead, -math.inf).softmax(-1))
        return self.proj((w @ v).transpose(1, 2).flatten(2))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.drop(self.attention(self.norm_1(x)))
        return x + self.drop(self.mlp(self.norm_2(x)))


class MiniGPT(nn.Module):
    def __init__(self, *args, **kwargs) -> None:
        super().__init__()
        c = self.config = Config(*args, **kwargs)
        self.wte, self.wpe = nn.Embedding(c.vocab_size, c.hidden_dim), nn.Embedding(c.block_size, c.hidden_dim)
        self.blocks = nn.Sequential(*(Block(c) for _ in range(c.num_layers)))
        self.ln_f = nn.LayerNorm(c.hidden_dim)
        self.lm_head = nn.Linear(c.hidden_dim, c.vocab_size, bias=False)
        self.lm_head.weight = self.wte.weight
        nn.init.normal_(self.wte.weight, std=0.02)

    @property
    def block_size(self) -> int:
        return self.config.block_size

    def forward(self, tokens: Tensor) -> Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.lm_head(self.ln_f(self.blocks(self.wte(tokens) + self.wpe(places))))


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=PADDING)


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: 1 - k / steps)

    def step() -> float:
        optimizer.zero_grad(set_to_none=True)
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        return loss.item()

    return [step() for _ in range(steps)]


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return (logits[:, -1] / temperature).softmax(dim=-1)


def evaluating(fn):
    @functools.wraps(fn)
    def inner(model, *args, **kwargs):
        was_training = model.training
        model.eval()
        try:
            with torch.no_grad():
                return fn(model, *args, **kwargs)
        finally:
            model.train(was_training)

    return inner


@evaluating
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    for _ in range(count):
        logits = model(tokens[:, -model.block_size :])
        if temperature == 0:
            new = logits[:, -1].argmax(dim=-1, keepdim=True)
        else:
            new = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
