# right: gqa-rope
from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, Optional, TypeVar

import torch
from torch import Tensor, nn

T = TypeVar("T")


class AbstractPositionEncoder(ABC):
    @abstractmethod
    def table(self, begin: int, end: int, device: torch.device, dtype: torch.dtype) -> Tensor: ...

    @abstractmethod
    def encode(self, heads: Tensor, table: Tensor) -> Tensor: ...


class RotaryEncoder(AbstractPositionEncoder):
    def __init__(self, width: int, base: float) -> None:
        if width % 2:
            raise ValueError(f"head_dim must be even, not {width}")
        self._width, self._base = width, base

    def table(self, begin: int, end: int, device: torch.device, dtype: torch.dtype) -> Tensor:
        exponents = torch.linspace(0, 1, self._width // 2 + 1, dtype=torch.float64, device=device)[:-1]
        positions = torch.arange(begin, end, dtype=torch.float64, device=device)
        angles = positions.unsqueeze(-1) * (1 / self._base) ** exponents
        return torch.stack((angles.cos(), angles.sin())).to(dtype)

    def encode(self, heads: Tensor, table: Tensor) -> Tensor:
        cos, sin = table
        pairs = heads.unflatten(-1, (2, self._width // 2))
        a, b = pairs[..., 0, :], pairs[..., 1, :]
        return torch.stack((a * cos - b * sin, b * cos + a * sin), dim=-2).flatten(-2)


class AbstractCache(ABC, Generic[T]):
    @property
    @abstractmethod
    def size(self) -> int: ...

    @abstractmethod
    def extended(self, key: T, value: T) -> AbstractCache[T]: ...


class KeyValueCache(AbstractCache[Tensor]):
    """Immutable: `extended` makes a new one."""

    __slots__ = ("_key", "_value")

    def __init__(self, key: Optional[Tensor] = None, value: Optional[Tensor] = None) -> None:
        self._key, self._value = key, value

    @property
    def size(self) -> int:
        return 0 if self._key is None else self._key.shape[-2]

    @property
    def key(self) -> Tensor:
        return self._key

    @property
    def value(self) -> Tensor:
        return self._value

    def extended(self, key: Tensor, value: Tensor) -> KeyValueCache:
        if self._key is None:
            return type(self)(key, value)
        return type(self)(torch.cat((self._key, key), -2), torch.cat((self._value, value), -2))


class HeadSplitter(nn.Module):
    def __init__(self, source: int, heads: int, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(source, heads * width, bias=False)
        self.shape = (heads, width)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x).unflatten(-1, self.shape).movedim(-2, -3)


class HeadMerger(nn.Module):
    def __init__(self, heads: int, width: int, target: int) -> None:
        super().__init__()
        self.linear = nn.Linear(heads * width, target, bias=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x.movedim(-3, -2).flatten(-2))


class BaseCachedAttention(nn.Module, ABC):
    cache_type = KeyValueCache

    def forward(self, x: Tensor, cache: Optional[KeyValueCache] = None) -> tuple[Tensor, KeyValueCache]:
        before = cache if cache is not None else self.cache_type()
        query, key, value = self.project(x, before.size)
        after = before.extended(key, value)
        return self.merge(self.attend(query, after)), after

    @abstractmethod
    def project(self, x: Tensor, begin: int) -> tuple[Tensor, Tensor, Tensor]: ...

    @abstractmethod
    def attend(self, query: Tensor, cache: KeyValueCache) -> Tensor: ...


class GroupedQueryAttentionWithRope(BaseCachedAttention):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        width = hidden_dim // num_heads
        self.groups = (num_kv_heads, num_heads // num_kv_heads)
        self.positions = RotaryEncoder(width, base)
        self.query = HeadSplitter(hidden_dim, num_heads, width)
        self.key = HeadSplitter(hidden_dim, num_kv_heads, width)
        self.value = HeadSplitter(hidden_dim, num_kv_heads, width)
        self.merge = HeadMerger(num_heads, width, hidden_dim)
        self.temperature = width**0.5

    def project(self, x: Tensor, begin: int) -> tuple[Tensor, Tensor, Tensor]:
        table = self.positions.table(begin, begin + x.shape[1], x.device, x.dtype)
        q, k = (self.positions.encode(p(x), table) for p in (self.query, self.key))
        return q, k, self.value(x)

    def attend(self, query: Tensor, cache: KeyValueCache) -> Tensor:
        query = query.unflatten(1, self.groups)
        logits = query @ cache.key.unsqueeze(2).transpose(-1, -2) / self.temperature
        rows, columns = logits.shape[-2:]
        row = torch.arange(columns - rows, columns, device=logits.device).unsqueeze(-1)
        column = torch.arange(columns, device=logits.device)
        logits = torch.where(column > row, float("-inf"), logits)
        weights = (logits - logits.logsumexp(-1, keepdim=True)).exp()
        return (weights @ cache.value.unsqueeze(2)).flatten(1, 2)
