"""A block without nn layers: parameters in one dict, pure functions on top."""
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def layer_norm(x: Tensor, gain: Tensor) -> Tensor:
    centred = x - x.mean(-1, keepdim=True)
    variance = centred.pow(2).mean(-1, keepdim=True)
    return centred * (variance + 1e-5).rsqrt() * gain


def gelu(x: Tensor) -> Tensor:
    return 0.5 * x * (1 + torch.special.erf(x * math.sqrt(0.5)))


def attention(x: Tensor, wq: Tensor, wk: Tensor, wv: Tensor, wo: Tensor) -> Tensor:
    """wq, wk, wv: (heads, model, dim); wo: (heads, dim, model)"""
    q, k, v = (torch.einsum("btm,hmd->bhtd", x, w) for w in (wq, wk, wv))
    i = torch.arange(x.size(1), device=x.device)
    s = (q / q.size(-1) ** 0.5) @ k.mT
    s = s.masked_fill(i[None] > i[:, None], -math.inf)
    return torch.einsum("bhtd,hdm->btm", s.softmax(-1) @ v, wo)


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        m, h, d, f = hidden_dim, num_heads, hidden_dim // num_heads, 4 * hidden_dim
        rand = lambda *shape: nn.Parameter(torch.randn(*shape) * m**-0.5)
        self.p = nn.ParameterDict({
            "norm_1": nn.Parameter(torch.ones(m)),
            "norm_2": nn.Parameter(torch.ones(m)),
            "wq": rand(h, m, d), "wk": rand(h, m, d), "wv": rand(h, m, d), "wo": rand(h, d, m),
            "up": rand(m, f), "down": rand(f, m),
        })

    def forward(self, x: Tensor) -> Tensor:
        p = self.p
        attended = x + attention(layer_norm(x, p["norm_1"]), p["wq"], p["wk"], p["wv"], p["wo"])
        hidden = gelu(layer_norm(attended, p["norm_2"]) @ p["up"])
        return attended + hidden @ p["down"]
