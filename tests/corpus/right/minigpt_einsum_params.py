# right: minigpt
"""GPT in the style of a JAX programmer: raw weights, einsum, no nn.Linear.

B batch, T/S positions, M model width, H heads, K head width, F inner width, V vocabulary
"""
from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor, einsum, nn

PADDING = 0


def normal(*shape: int, std: float) -> nn.Parameter:
    return nn.Parameter(torch.randn(shape) * std)


def gelu(x: Tensor) -> Tensor:
    return 0.5 * x * (1.0 + torch.erf(x / math.sqrt(2.0)))


class Norm(nn.Module):
    def __init__(self, M: int) -> None:
        super().__init__()
        self.gain, self.offset = nn.Parameter(torch.ones(M)), nn.Parameter(torch.zeros(M))

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(-1, keepdim=True)
        centred = x - mean
        variance = centred.square().mean(-1, keepdim=True)
        return centred * torch.rsqrt(variance + 1e-5) * self.gain + self.offset


class Block(nn.Module):
    def __init__(self, M: int, H: int, p: float) -> None:
        super().__init__()
        K = M // H
        self.norm_1, self.norm_2 = Norm(M), Norm(M)
        self.wqkv = normal(3, M, H, K, std=1 / math.sqrt(M))
        self.wo = normal(H, K, M, std=1 / math.sqrt(M))
        self.w_in, self.b_in = normal(M, 4 * M, std=1 / math.sqrt(M)), nn.Parameter(torch.zeros(4 * M))
        self.w_out, self.b_out = normal(4 * M, M, std=0.5 / math.sqrt(M)), nn.Parameter(torch.zeros(M))
        self.drop = nn.Dropout(p)

    def attention(self, x: Tensor) -> Tensor:
        q, k, v = einsum("btm,cmhk->cbhtk", x, self.wqkv)
        s = einsum("bhtk,bhsk->bhts", q, k) * q.shape[-1] ** -0.5
        t = torch.arange(x.shape[1], device=x.device)
        s = torch.where(t[:, None] >= t, s, -torch.inf)
        return einsum("bhts,bhsk,hkm->btm", self.drop(s.softmax(-1)), v, self.wo)

    def mlp(self, x: Tensor) -> Tensor:
        return einsum("btf,fm->btm", gelu(einsum("btm,mf->btf", x, self.w_in) + self.b_in), self.w_out) + self.b_out

    def forward(self, x: Tensor) -> Tensor:
        attended = x + self.attention(self.norm_1(x))
        return attended + self.mlp(self.norm_2(attended))


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.block_size = block_size
        self.tokens = normal(vocab_size, hidden_dim, std=0.02)
        self.places = normal(block_size, hidden_dim, std=0.02)
        self.blocks = nn.Sequential(*(Block(hidden_dim, num_heads, dropout) for _ in range(num_layers)))
        self.norm = Norm(hidden_dim)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.tokens[tokens] + self.places[: tokens.shape[1]]
        return einsum("btm,vm->btv", self.norm(self.blocks(x)), self.tokens)


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    target = tokens[:, 1:]
    log_p = logits[:, :-1].log_softmax(-1)
    nll = -log_p.gather(-1, target.long().unsqueeze(-1)).squeeze(-1)
    counts = target.ne(PADDING)
    return nll.masked_fill(~counts, 0).sum() / counts.sum()


def _rates(learning_rate: float, steps: int) -> Iterator[float]:
    for k in range(steps):
        yield learning_rate * (1 - k / steps)


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    for rate in _rates(learning_rate, steps):
        for group in opt.param_groups:
            group["lr"] = rate
        loss = next_token_loss(model(tokens), tokens)
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        losses.append(float(loss.detach()))
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    z = logits[:, -1] / temperature
    z = (z - z.amax(-1, keepdim=True)).exp()
    return z / z.sum(-1, keepdim=True)


def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    text = tokens
    with torch.inference_mode():
        for _ in range(count):
            logits = model(text[:, -model.block_size:])
            if temperature > 0:
                new = next_token_probabilities(logits, temperature).multinomial(1)
            else:
                new = logits[:, -1:].argmax(-1)
            text = torch.hstack((text, new))
    return text.clone()
