from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class B(nn.Module):
    """x -> x + A(Nx) -> y + M(N'y); every head has its own d x e matrices."""

    def __init__(self, d: int, h: int) -> None:
        super().__init__()
        e = self.e = d // h
        r = lambda *s: nn.Parameter(torch.randn(*s) / math.sqrt(d))
        self.Q, self.K, self.V, self.O = r(h, d, e), r(h, d, e), r(h, d, e), r(h, e, d)
        self.U, self.u = r(d, 4 * d), nn.Parameter(torch.zeros(4 * d))
        self.D, self.c = r(4 * d, d), nn.Parameter(torch.zeros(d))
        self.N, self.M = nn.LayerNorm(d, eps=1e-5), nn.LayerNorm(d, eps=1e-5)

    def A(self, x: Tensor) -> Tensor:
        S = torch.einsum("bid,hde,hfe,bjf->bhij", x, self.Q, self.K, x) / math.sqrt(self.e)
        i = torch.arange(x.size(1), device=x.device)
        P = S.masked_fill(i[None, :] > i[:, None], -torch.inf).softmax(-1)
        v = torch.einsum("bjd,hde->bhje", x, self.V)
        return torch.einsum("bhij,bhje,hed->bid", P, v, self.O)

    def forward(self, x: Tensor) -> Tensor:
        y = x + self.A(self.N(x))
        z = self.M(y) @ self.U + self.u
        g = z * (1 + torch.erf(z / math.sqrt(2))) / 2
        return y + g @ self.D + self.c


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.block_size = block_size
        self.E = nn.Embedding(vocab_size, hidden_dim)
        self.P = nn.Embedding(block_size, hidden_dim)
        for T in (self.E, self.P):
            nn.init.normal_(T.weight, std=0.02)
        self.F = nn.Sequential(*(B(hidden_dim, num_heads) for _ in range(num_layers)))
        self.N = nn.LayerNorm(hidden_dim)
        self.p = dropout

    def forward(self, tokens: Tensor) -> Tensor:
        i = torch.arange(tokens.size(1), device=tokens.device).expand_as(tokens)
        x = F.dropout(self.E(tokens) + self.P(i), self.p, self.training)
        return torch.einsum("btd,vd->btv", self.N(self.F(x)), self.E.weight)


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    t = tokens[:, 1:].long()
    w = t != PADDING
    l = logits[:, :-1].log_softmax(-1).gather(-1, t[..., None])[..., 0]
    return -torch.where(w, l, 0.0).sum() / w.sum()


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    W = [p for p in model.parameters() if p.requires_grad]
    o = torch.optim.AdamW(W, learning_rate)
    s = torch.optim.lr_scheduler.LambdaLR(o, lambda k: 1 - k / steps)
    L = []
    for _ in range(steps):
        l = next_token_loss(model(tokens), tokens)
        for p in W:
            p.grad = None
        l.backward()
        g = [p.grad for p in W if p.grad is not None]
        n = torch.stack([u.norm() for u in g]).norm()
        a = torch.clamp(1.0 / (n + 1e-6), max=1.0)
        for u in g:
            u.mul_(a)
        o.step()
        s.step()
        L.append(l.item())
    return L


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return torch.softmax(logits[:, -1] / temperature, -1)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    was = model.training
    model.eval()
    n = model.block_size
    for _ in range(count):
        y = model(tokens[:, -n:])
        if temperature:
            # Gumbel: argmax of log p + g is a draw from p
            p = next_token_probabilities(y, temperature)
            a = (p / torch.empty_like(p).exponential_()).argmax(-1)
        else:
            a = y[:, -1].argmax(-1)
        tokens = torch.cat([tokens, a[:, None]], 1)
    model.train(was)
    return tokens
