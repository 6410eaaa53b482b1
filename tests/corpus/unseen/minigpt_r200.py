"""scan-over-layers GPT: one stacked tensor per kind of weight, a pure block, a fold."""
from __future__ import annotations

from contextlib import contextmanager
from functools import reduce

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


def _wide(t: Tensor) -> Tensor:
    return t if t.dtype == torch.float64 else t.float()


def _norm(x: Tensor, g: Tensor, b: Tensor) -> Tensor:
    x = x - x.mean(-1, keepdim=True)
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * g + b


def _gelu(x: Tensor) -> Tensor:
    return 0.5 * x * (1 + torch.erf(x * 0.5**0.5))


def _attend(h: Tensor, p: dict[str, Tensor], drop) -> Tensor:
    q, k, v = torch.einsum("btm,nmhd->nbhtd", h, p["qkv"])
    z = torch.einsum("bhid,bhjd->bhij", q, k) / q.shape[-1] ** 0.5
    i = torch.arange(h.shape[1], device=h.device)
    z = torch.where(i[:, None] >= i, z, -torch.inf)
    return torch.einsum("bhij,bhjd,hdm->bim", drop(z.softmax(-1)), v, p["proj"])


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.block_size, self.dropout, L, M = block_size, dropout, num_layers, hidden_dim
        D = M // num_heads
        normal = lambda *s, std=0.02: nn.Parameter(torch.randn(*s) * std)  # noqa: E731
        const = lambda c, *s: nn.Parameter(torch.full(s, float(c)))  # noqa: E731
        self.wte, self.wpe = normal(vocab_size, M), normal(block_size, M)
        res = 0.02 / max(1, 2 * L) ** 0.5
        self.layers = nn.ParameterDict({
            "g1": const(1, L, M), "b1": const(0, L, M),
            "qkv": normal(L, 3, M, num_heads, D), "proj": normal(L, num_heads, D, M, std=res),
            "g2": const(1, L, M), "b2": const(0, L, M),
            "up": normal(L, M, 4 * M), "up_b": const(0, L, 4 * M),
            "down": normal(L, 4 * M, M, std=res), "down_b": const(0, L, M),
        })  # fmt: skip
        self.gf, self.bf = const(1, M), const(0, M)

    def forward(self, tokens: Tensor) -> Tensor:
        def drop(t: Tensor) -> Tensor:
            return F.dropout(t, self.dropout, self.training)

        def block(x: Tensor, p: dict[str, Tensor]) -> Tensor:
            x = x + drop(_attend(_norm(x, p["g1"], p["b1"]), p, drop))
            h = _gelu(_norm(x, p["g2"], p["b2"]) @ p["up"] + p["up_b"])
            return x + drop(h @ p["down"] + p["down_b"])

        names = list(self.layers.keys())
        stack = (dict(zip(names, w)) for w in zip(*(self.layers[n] for n in names)))
        x = drop(self.wte[tokens] + self.wpe[: tokens.shape[1]])
        x = _norm(reduce(block, stack, x), self.gf, self.bf)
        return torch.einsum("btm,vm->btv", x, self.wte)


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    y = tokens[:, 1:]
    z = _wide(logits[:, : y.shape[1]])
    picked = z.gather(-1, y.long().unsqueeze(-1)).squeeze(-1)
    nll = torch.logsumexp(z, -1) - picked
    real = y.ne(PADDING)
    return torch.where(real, nll, 0.0).sum() / real.sum().clamp(min=1)


@contextmanager
def _mode(model: nn.Module, training: bool):
    was = model.training
    model.train(training)
    try:
        yield
    finally:
        model.train(was)


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)

    def step(k: int) -> float:
        for g in opt.param_groups:
            g["lr"] = learning_rate * (1 - k / steps)
        loss = next_token_loss(model(tokens), tokens)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        return loss.item()

    with _mode(model, True):
        return [step(k) for k in range(steps)]


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return (_wide(logits[:, -1]) / temperature).softmax(-1)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    def extend(text: Tensor, _: int) -> Tensor:
        logits = model(text[:, -model.block_size :])
        if temperature == 0:
            new = logits[:, -1].argmax(-1, keepdim=True)
        else:
            new = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        return torch.cat([text, new.to(text.dtype)], 1)

    with _mode(model, False):
        return reduce(extend, range(count), tokens)
