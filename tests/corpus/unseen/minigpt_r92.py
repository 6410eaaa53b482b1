from __future__ import annotations

from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


@dataclass
class Net:
    w: int = 32
    h: int = 4
    depth: int = 2


@dataclass
class Setup:
    symbols: int = 64
    window: int = 32
    net: Net = field(default_factory=Net)
    p_off: float = 0.0


class Layer(nn.Module):
    def __init__(self, net: Net, p_off: float):
        super().__init__()
        self.h, self.d = net.h, net.w // net.h
        self.norm_1, self.norm_2 = nn.LayerNorm(net.w), nn.LayerNorm(net.w)
        self.qkv = nn.Linear(net.w, 3 * net.w)
        self.join = nn.Linear(net.w, net.w)
        self.mlp = nn.Sequential(nn.Linear(net.w, 4 * net.w), nn.GELU(), nn.Linear(4 * net.w, net.w))
        self.off = nn.Dropout(p_off)

    def attention(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).unflatten(-1, (3, self.h, self.d)).permute(2, 0, 3, 1, 4).unbind(0)
        s = q @ k.transpose(-2, -1) * self.d**-0.5
        s = s + torch.full(s.shape[-2:], -torch.inf, dtype=s.dtype, device=s.device).triu(1)
        return self.join((s.softmax(-1) @ v).transpose(1, 2).flatten(2))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.off(self.attention(self.norm_1(x)))
        return x + self.off(self.mlp(self.norm_2(x)))


class MiniGPT(nn.Module):
    def __init__(self, setup: Setup) -> None:
        super().__init__()
        self.block_size = setup.window
        self.token_table = nn.Parameter(0.02 * torch.randn(setup.symbols, setup.net.w))
        self.place_table = nn.Parameter(0.02 * torch.randn(setup.window, setup.net.w))
        self.layers = nn.ModuleList(Layer(setup.net, setup.p_off) for _ in range(setup.net.depth))
        self.last_norm = nn.LayerNorm(setup.net.w)
        self.off = nn.Dropout(setup.p_off)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.off(F.embedding(tokens, self.token_table) + self.place_table[: tokens.shape[1]])
        for layer in self.layers:
            x = layer(x)
        return F.linear(self.last_norm(x), self.token_table)


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    guesses, truth = logits[:, :-1], tokens[:, 1:].long()
    surprise = -guesses.log_softmax(-1).gather(-1, truth[..., None])[..., 0]
    return surprise[truth != PADDING].mean()


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    for k in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * (1 - k / steps)
        optimizer.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return (logits[:, -1] / temperature).softmax(-1)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size :])
        if temperature > 0:
            new = next_token_probabilities(logits, temperature).multinomial(1)
        else:
            new = logits[:, -1].argmax(-1, keepdim=True)
        tokens = torch.cat((tokens, new), dim=1)
    return tokens
