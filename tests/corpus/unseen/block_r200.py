# attn-kata: block
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Norm(nn.Module):
    """LayerNorm,自己写一遍:biased variance, eps 在根号里。"""

    EPS = 1e-5

    def __init__(self, hid: int) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(hid))
        self.beta = nn.Parameter(torch.zeros(hid))

    def forward(self, x: Tensor) -> Tensor:
        centered = x - x.mean(-1, keepdim=True)
        var = (centered * centered).mean(-1, keepdim=True)
        return self.gamma * (centered * torch.rsqrt(var + self.EPS)) + self.beta


class FuturePool:
    """Upper-triangular 'future' mask, grown by doubling like std::vector, sliced on every call."""

    def __init__(self) -> None:
        self._buf: Tensor | None = None

    def _grow(self, need: int, device: torch.device) -> None:
        cap = 16
        while cap < need:
            cap <<= 1
        with torch.inference_mode(False):  # 池子以后训练时还要用
            idx = torch.arange(cap, device=device)
            self._buf = idx[None, :] > idx[:, None]

    def get(self, need: int, device: torch.device) -> Tensor:
        if self._buf is None or self._buf.size(0) < need or self._buf.device != device:
            self._grow(need, device)
        return self._buf[:need, :need]


class OneHead(nn.Module):
    """一个 head:hid -> dk。输出投影在外面。"""

    def __init__(self, hid: int, dk: int) -> None:
        super().__init__()
        self.q = nn.Linear(hid, dk)
        self.k = nn.Linear(hid, dk)
        self.v = nn.Linear(hid, dk)
        self.scale = 1.0 / math.sqrt(dk)

    def forward(self, h: Tensor, future: Tensor) -> Tensor:
        energy = self.q(h) @ self.k(h).mT
        energy = (energy * self.scale).masked_fill(future, float("-inf"))
        return energy.softmax(-1) @ self.v(h)


class CausalHeads(nn.Module):
    def __init__(self, hid: int, n_head: int) -> None:
        super().__init__()
        self.heads = nn.ModuleList(OneHead(hid, hid // n_head) for _ in range(n_head))
        self.out_proj = nn.Linear(hid, hid)
        self._pool = FuturePool()

    def forward(self, h: Tensor) -> Tensor:
        future = self._pool.get(h.size(1), h.device)
        return self.out_proj(torch.cat([head(h, future) for head in self.heads], dim=-1))


class ErfGelu(nn.Module):
    """x * Phi(x)"""

    def forward(self, h: Tensor) -> Tensor:
        phi = (1.0 + torch.erf(h * math.sqrt(0.5))) * 0.5
        return h * phi


class Mlp(nn.Sequential):
    def __init__(self, hid: int) -> None:
        super().__init__(nn.Linear(hid, 4 * hid), ErfGelu(), nn.Linear(4 * hid, hid))


class Skip(nn.Module):
    """stream + body(norm(stream)):残差主干上除了加法什么都没有。"""

    def __init__(self, hid: int, body: nn.Module) -> None:
        super().__init__()
        self.norm = Norm(hid)
        self.body = body

    def forward(self, stream: Tensor) -> Tensor:
        return stream + self.body(self.norm(stream))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.stages = nn.Sequential(
            Skip(hidden_dim, CausalHeads(hidden_dim, num_heads)),
            Skip(hidden_dim, Mlp(hidden_dim)),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.stages(x)
