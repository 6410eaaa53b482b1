from __future__ import annotations

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
    def __init__(self, cfg: Config):
        super().__init__()
        d = cfg.hidden_dim
        self.cfg = cfg
        self.norm_1, self.norm_2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.q, self.k, self.v, self.o = (nn.Linear(d, d, bias=False) for _ in range(4))
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)
        self.drop = nn.Dropout(cfg.dropout)

    def attend(self, h: Tensor) -> Tensor:
        q, k, v = (f(h).unflatten(-1, (self.cfg.num_heads, -1)) for f in (self.q, self.k, self.v))
        s = torch.einsum("bihd,bjhd->bhij", q, k) * q.shape[-1] ** -0.5
        p = torch.arange(h.shape[1], device=h.device)
        s = s.masked_fill(p > p[:, None], torch.finfo(s.dtype).min)
        return self.o(torch.einsum("bhij,bjhd->bihd", s.softmax(-1), v).flatten(2))

    def forward(self, x: Tensor) -> Tensor:
        attended = x + self.drop(self.attend(self.norm_1(x)))
        return attended + self.drop(self.down(F.gelu(self.up(self.norm_2(attended)))))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        cfg = Config(vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout)
        self.block_size = block_size
        self.token_table = nn.Parameter(torch.randn(vocab_size, hidden_dim) * 0.02)
        self.position_table = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        self.blocks = nn.Sequential(*(Block(cfg) for _ in range(num_layers)))
        self.final = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.token_table[tokens] + self.position_table[: tokens.shape[1]]
        return F.linear(self.final(self.blocks(x)), self.token_table)


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    log_p = logits[:, :-1].log_softmax(-1)
    target = tokens[:, 1:]
    nll = -log_p.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    counts = target != PADDING
    return nll[counts].sum() / counts.sum()


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: 1 - k / steps)
    losses: list[float] = []
    for _ in range(steps):
        loss = next_token_loss(model(tokens), tokens)
        losses.append(loss.item())
        loss.backward()
        nn.utils.clip_grad_norm_(list(model.parameters()), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return F.softmax(logits[:, -1] / temperature, -1)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    out = tokens.clone()
    while out.shape[1] < tokens.shape[1] + count:
        logits = model(out[:, -model.block_size :])
        if temperature > 0:
            new = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        else:
            new = logits[:, -1:].argmax(-1)
        out = torch.cat([out, new], 1)
    return out
