from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import vmap

PADDING = 0


class Layer(nn.Module):
    """Parallel-friendly: heads are a weight axis, so nothing needs a reshape."""

    def __init__(self, m: int, h: int) -> None:
        super().__init__()
        d = m // h
        init = lambda *s: nn.Parameter(0.02 * torch.randn(*s))  # noqa: E731
        self.ln1, self.ln2 = nn.LayerNorm(m, eps=1e-5), nn.LayerNorm(m, eps=1e-5)
        self.wq, self.wk, self.wv = init(h, m, d), init(h, m, d), init(h, m, d)
        self.wo = init(h, d, m)
        self.w1, self.w2 = nn.Linear(m, 4 * m), nn.Linear(4 * m, m)

    def mix(self, x: Tensor) -> Tensor:
        q, k, v = (torch.einsum("btm,hmd->bhtd", x, w) for w in (self.wq, self.wk, self.wv))
        a = torch.einsum("bhid,bhjd->bhij", q, k) * q.size(-1) ** -0.5
        seen = a.new_ones(a.shape[-2:]).tril() > 0
        a = a.masked_fill(~seen, -torch.inf).softmax(-1)
        return torch.einsum("bhij,bhjd,hdm->bim", a, v, self.wo)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.mix(self.ln1(x))
        return x + self.w2(F.gelu(self.w1(self.ln2(x))))


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.block_size = block_size
        self.tok = nn.Parameter(0.02 * torch.randn(vocab_size, hidden_dim))
        self.pos = nn.Parameter(0.02 * torch.randn(block_size, hidden_dim))
        self.drop = nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(hidden_dim, num_heads) for _ in range(num_layers))
        self.lnf = nn.LayerNorm(hidden_dim, eps=1e-5)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.drop(self.tok[tokens] + self.pos[: tokens.size(1)])
        for layer in self.layers:
            x = layer(x)
        return self.lnf(x) @ self.tok.T


def _sequence_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    """One sequence: logits (t, v), tokens (t,)."""
    logp, y = logits[:-1].log_softmax(-1), tokens[1:].long()
    w = (y != PADDING).to(logp.dtype)
    nll = -logp.gather(-1, y[:, None])[:, 0]
    return (w * nll).sum() / w.sum().clamp(min=1)


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    return vmap(_sequence_loss)(logits, tokens).mean()


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses: list[float] = []
    for k in range(steps):
        for group in opt.param_groups:
            group["lr"] = learning_rate * (1 - k / steps)
        opt.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        opt.step()
        losses.append(float(loss.detach()))
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return torch.softmax(logits[:, -1, :] / temperature, dim=-1)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size :])
        if temperature == 0.0:
            new = logits[:, -1:].argmax(-1)
        else:
            new = torch.multinomial(next_token_probabilities(logits, temperature), num_samples=1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
