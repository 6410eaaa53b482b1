from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F

PADDING = 0


@dataclass
class GPTConfig:
    vocab_size: int
    block_size: int
    n_embd: int
    n_head: int
    n_layer: int
    dropout: float = 0.0


class Residual(nn.Module):
    """x + dropout(branch(norm(x)))"""

    def __init__(self, config: GPTConfig, branch: nn.Module) -> None:
        super().__init__()
        self.ln = nn.LayerNorm(config.n_embd)
        self.branch = branch
        self.drop = nn.Dropout(config.dropout)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.drop(self.branch(self.ln(x)))


class CausalAttention(nn.Module):
    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.n_head = config.n_head
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd)
        self.attn_drop = nn.Dropout(config.dropout)

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.n_head, -1).transpose(1, 2) for t in self.c_attn(x).split(C, dim=2))
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        pos = torch.arange(T, device=x.device)
        att = att.masked_fill(pos[None, :] > pos[:, None], float("-inf"))
        y = self.attn_drop(F.softmax(att, dim=-1)) @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.config = config = GPTConfig(vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout)
        self.block_size = block_size
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        # attention and mlp take turns: 2 * num_layers residual branches in one row
        branches: list[nn.Module] = []
        for _ in range(num_layers):
            branches.append(Residual(config, CausalAttention(config)))
            mlp = nn.Sequential(
                nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim)
            )
            branches.append(Residual(config, mlp))
        self.trunk = nn.Sequential(nn.Dropout(dropout), *branches, nn.LayerNorm(hidden_dim))
        self.apply(self._init)

    @staticmethod
    def _init(module: nn.Module) -> None:
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)

    def forward(self, tokens: Tensor) -> Tensor:
        T = tokens.size(1)
        assert T <= self.block_size, f"{T} tokens, but block_size is {self.block_size}"
        h = self.wte(tokens) + self.wpe.weight[:T]
        return self.trunk(h) @ self.wte.weight.t()


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    guesses, targets = logits[:, :-1], tokens[:, 1:]
    real = targets != PADDING
    log_p = guesses[real].log_softmax(dim=-1)
    return -log_p.gather(-1, targets[real].long()[:, None]).mean()


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)

    def step(k: int) -> float:
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * (1 - k / steps)
        optimizer.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        return loss.item()

    return [step(k) for k in range(steps)]


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return F.softmax(logits[:, -1, :] / temperature, dim=-1)


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(was_training)


def _stream(model: nn.Module, text: Tensor, temperature: float) -> Iterator[Tensor]:
    while True:
        logits = model(text[:, -model.block_size :])
        if temperature == 0:
            new = logits[:, -1].argmax(dim=-1, keepdim=True)
        else:
            new = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        text = torch.cat([text, new.to(text.dtype)], dim=1)
        yield text


def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    text = tokens
    with evaluating(model):
        for _, text in zip(range(count), _stream(model, tokens, temperature)):
            pass
    return text
