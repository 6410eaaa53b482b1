from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from torch import Tensor, nn


class PositionEncoder(ABC):
    @abstractmethod
    def encode(self, tensor: Tensor, first_position: int) -> Tensor: ...


class RotaryPositionEncoder(PositionEncoder):
    """Rotates the last axis of a (batch, heads, length, width) tensor."""

    def __init__(self, width: int, base: float = 10000.0) -> None:
        self._width = width
        self._base = base

    def encode(self, tensor: Tensor, first_position: int) -> Tensor:
        precision = torch.promote_types(tensor.dtype, torch.float32)
        angles = self._angles(first_position, tensor.size(-2), tensor.device)
        cosine, sine = angles.cos().to(precision), angles.sin().to(precision)
        lower, upper = tensor.to(precision).tensor_split(2, dim=-1)
        rotated = torch.cat((lower * cosine - upper * sine, upper * cosine + lower * sine), dim=-1)
        return rotated.to(tensor.dtype)

    def _angles(self, first_position: int, length: int, device: torch.device) -> Tensor:
        last_position = first_position + length
        positions = torch.arange(first_position, last_position, device=device, dtype=torch.float64)
        exponents = torch.arange(0, self._width, 2, device=device, dtype=torch.float64) / self._width
        return torch.outer(positions, torch.pow(self._base, -exponents))


@dataclass(frozen=True)
class KeyValueState:
    keys: Tensor
    values: Tensor

    @property
    def length(self) -> int:
        return self.keys.size(-2)

    def followed_by(self, other: KeyValueState) -> KeyValueState:
        return KeyValueState(
            keys=torch.cat((self.keys, other.keys), dim=-2),
            values=torch.cat((self.values, other.values), dim=-2),
        )


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        self._head_dim = hidden_dim // num_heads
        self._sharing = num_heads // num_kv_heads
        self._encoder: PositionEncoder = RotaryPositionEncoder(self._head_dim)
        self.query_projection = nn.Linear(hidden_dim, num_heads * self._head_dim)
        self.key_projection = nn.Linear(hidden_dim, num_kv_heads * self._head_dim)
        self.value_projection = nn.Linear(hidden_dim, num_kv_heads * self._head_dim)
        self.output_projection = nn.Linear(num_heads * self._head_dim, hidden_dim)

    def forward(
        self, x: Tensor, cache: KeyValueState | None = None
    ) -> tuple[Tensor, KeyValueState]:
        offset = cache.length if cache is not None else 0
        query = self._encoder.encode(self._heads(self.query_projection(x)), offset)
        key = self._encoder.encode(self._heads(self.key_projection(x)), offset)
        state = KeyValueState(key, self._heads(self.value_projection(x)))
        if cache is not None:
            state = cache.followed_by(state)

        shared_keys = state.keys.repeat_interleave(self._sharing, dim=1)
        shared_values = state.values.repeat_interleave(self._sharing, dim=1)
        scores = query @ shared_keys.transpose(-2, -1) / self._head_dim**0.5
        scores = scores.masked_fill(self._future(x.size(1), state.length, x.device), -torch.inf)
        context = scores.softmax(dim=-1) @ shared_values
        return self.output_projection(context.transpose(1, 2).flatten(2)), state

    def _heads(self, tensor: Tensor) -> Tensor:
        return tensor.unflatten(-1, (-1, self._head_dim)).transpose(1, 2)

    @staticmethod
    def _future(length: int, total: int, device: torch.device) -> Tensor:
        return torch.ones(length, total, dtype=torch.bool, device=device).triu(total - length + 1)
