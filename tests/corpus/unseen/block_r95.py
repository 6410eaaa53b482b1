from __future__ import annotations

from typing import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class ResidualMixin:
    """Adds a branch to the stream: x + branch(norm(x))."""

    @staticmethod
    def residual(x: Tensor, norm: Callable[[Tensor], Tensor], *branch: Callable[[Tensor], Tensor]) -> Tensor:
        h = norm(x)
        for step in branch:
            h = step(h)
        return torch.add(x, h)


class HandNorm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))
        self.shift = nn.Parameter(torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        centred = wide - wide.mean(-1, keepdim=True)
        deviation = centred.square().mean(-1, keepdim=True).add(1e-5).sqrt()
        return (centred / deviation).to(x.dtype) * self.gain + self.shift


class TransformerBlock(nn.Module, ResidualMixin):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.norms = nn.ModuleList(HandNorm(hidden_dim) for _ in range(2))
        weight = lambda o, i: nn.Parameter(torch.randn(o, i) * i**-0.5)  # noqa: E731
        self.w = nn.ParameterDict(
            {
                "q": weight(hidden_dim, hidden_dim),
                "kv": weight(2 * hidden_dim, hidden_dim),
                "o": weight(hidden_dim, hidden_dim),
                "up": weight(4 * hidden_dim, hidden_dim),
                "down": weight(hidden_dim, 4 * hidden_dim),
            }
        )

    def _gelu(self, h: Tensor) -> Tensor:
        return 0.5 * h * (1 + torch.erf(h / 2**0.5))

    def _attend(self, h: Tensor) -> Tensor:
        heads = lambda t: t.unflatten(2, (self.num_heads, -1)).transpose(1, 2)  # noqa: E731
        k, v = map(heads, F.linear(h, self.w["kv"]).chunk(2, -1))
        q = heads(F.linear(h, self.w["q"]))
        steps = torch.arange(h.shape[1], device=h.device)
        s = q @ k.mT / q.shape[-1] ** 0.5
        s = s.masked_fill(steps > steps[:, None], float("-inf"))
        out = (s.softmax(-1) @ v).transpose(1, 2).flatten(2)
        return F.linear(out, self.w["o"])

    def forward(self, x: Tensor) -> Tensor:
        first, second = self.norms
        x = self.residual(x, first, self._attend)
        return self.residual(
            x, second, lambda h: F.linear(h, self.w["up"]), self._gelu, lambda h: F.linear(h, self.w["down"])
        )
