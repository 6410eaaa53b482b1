# right: mla
from __future__ import annotations

import abc
import functools
import typing as t
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class _Dims:
    hidden: int
    heads: int
    content: int
    rope: int
    latent: int

    @functools.cached_property
    def inv_sqrt(self) -> float:
        return (self.content + self.rope) ** -0.5


@dataclass(frozen=True, slots=True)
class LatentState:
    latent: Tensor  # (B, S, latent)
    rotary: Tensor  # (B, S, rope)

    def __len__(self) -> int:
        return self.latent.size(1)

    def extended(self, other: "LatentState") -> "LatentState":
        return LatentState(
            latent=torch.cat((self.latent, other.latent), dim=1),
            rotary=torch.cat((self.rotary, other.rotary), dim=1),
        )


class _RotaryMixin:
    _BASE: t.ClassVar[float] = 10_000.0

    @classmethod
    def _rotate(cls, z: Tensor, positions: Tensor) -> Tensor:
        """z: (B, T, ..., rope)"""
        half = z.size(-1) // 2
        idx = torch.arange(half, dtype=torch.float64, device=z.device)
        phase = positions.to(torch.float64).unsqueeze(-1) * cls._BASE ** (-idx / half)
        while phase.dim() < z.dim() - 1:
            phase = phase.unsqueeze(1)
        wide = torch.promote_types(z.dtype, torch.float32)
        cos, sin = phase.cos().to(wide), phase.sin().to(wide)
        lo, hi = z.to(wide).unflatten(-1, (2, half)).unbind(-2)
        return torch.stack((lo * cos - hi * sin, hi * cos + lo * sin), dim=-2).flatten(-2).to(z.dtype)


class _CausalMixin:
    @staticmethod
    def _weights(scores: Tensor, positions: Tensor) -> Tensor:
        """scores: (B, H, T, S)"""
        keys = torch.arange(scores.size(-1), device=scores.device)
        allowed = keys.le(positions.unsqueeze(-1))
        return scores.masked_fill(allowed.logical_not(), float("-inf")).softmax(dim=-1)


class AbstractCachedAttention(nn.Module, abc.ABC):
    @abc.abstractmethod
    def _attend(self, x: Tensor, state: LatentState, positions: Tensor) -> Tensor: ...

    @abc.abstractmethod
    def _compress(self, x: Tensor, positions: Tensor) -> LatentState: ...

    def forward(self, x: Tensor, cache: t.Optional[LatentState] = None) -> tuple[Tensor, LatentState]:
        offset = len(cache) if cache is not None else 0
        positions = torch.arange(offset, offset + x.size(1), device=x.device)
        state = self._compress(x, positions)
        if cache is not None:
            state = cache.extended(state)
        return self._attend(x, state, positions), state


class MultiHeadLatentAttention(_RotaryMixin, _CausalMixin, AbstractCachedAttention):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.dims = d = _Dims(hidden_dim, num_heads, head_dim, rope_dim, latent_dim)
        linear = functools.partial(nn.Linear, bias=False)
        self.query = linear(d.hidden, d.heads * (d.content + d.rope))
        self.kv_down = linear(d.hidden, d.latent)
        self.key_rope = linear(d.hidden, d.rope)
        self.key_up = linear(d.latent, d.heads * d.content)
        self.value_up = linear(d.latent, d.heads * d.content)
        self.output = linear(d.heads * d.content, d.hidden)

    def _compress(self, x: Tensor, positions: Tensor) -> LatentState:
        return LatentState(self.kv_down(x), self._rotate(self.key_rope(x), positions))

    def _queries(self, x: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        d = self.dims
        content, rotary = self.query(x).unflatten(-1, (d.heads, -1)).split((d.content, d.rope), dim=-1)
        return content.transpose(1, 2), self._rotate(rotary, positions).transpose(1, 2)

    def _attend(self, x: Tensor, state: LatentState, positions: Tensor) -> Tensor:
        content, rotary = self._queries(x, positions)
        kernel = self._absorbed if x.size(1) == 1 else self._expanded
        heads = kernel(content, rotary, state, positions)
        return self.output(heads.transpose(1, 2).flatten(2))

    def _expanded(self, content: Tensor, rotary: Tensor, state: LatentState, positions: Tensor) -> Tensor:
        h = self.dims.heads
        keys = self.key_up(state.latent).unflatten(-1, (h, -1)).transpose(1, 2)
        values = self.value_up(state.latent).unflatten(-1, (h, -1)).transpose(1, 2)
        scores = content @ keys.mT + rotary @ state.rotary.unsqueeze(1).mT
        return self._weights(scores * self.dims.inv_sqrt, positions) @ values

    def _absorbed(self, content: Tensor, rotary: Tensor, state: LatentState, positions: Tensor) -> Tensor:
        d = self.dims
        up_k = self.key_up.weight.view(d.heads, d.content, d.latent)
        up_v = self.value_up.weight.view(d.heads, d.content, d.latent)
        latent = state.latent.unsqueeze(1)
        scores = (content @ up_k) @ latent.mT + rotary @ state.rotary.unsqueeze(1).mT
        return self._weights(scores * self.dims.inv_sqrt, positions) @ latent @ up_v.mT
