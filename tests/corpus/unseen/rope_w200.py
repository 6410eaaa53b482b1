# attn-kata: rope
from __future__ import annotations

import torch
from torch import Tensor


class AngleTable:
    """cos / sin for the places 0 .. capacity - 1, in float32."""

    def __init__(self, capacity: int, head_dim: int, base: float, device: torch.device) -> None:
        exponent = torch.arange(0, head_dim, 2, dtype=torch.float32, device=device) / head_dim
        inv_freq = 1.0 / (base**exponent)
        angle = torch.outer(torch.arange(capacity, dtype=torch.float32, device=device), inv_freq)
        self.capacity = capacity
        self.cos = angle.cos()
        self.sin = angle.sin()

    def rows(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        return self.cos[positions], self.sin[positions]


class TableRegistry:
    """进程内单例:表只建一次,不够长就翻倍重建。"""

    MIN_CAPACITY = 2048

    def __init__(self) -> None:
        self._tables: dict[tuple[int, torch.device], AngleTable] = {}

    def _capacity_for(self, need: int) -> int:
        capacity = self.MIN_CAPACITY
        while capacity < need:
            capacity *= 2
        return capacity

    def lookup(self, positions: Tensor, head_dim: int, base: float) -> tuple[Tensor, Tensor]:
        slot = (head_dim, positions.device)
        need = int(positions.max()) + 1
        table = self._tables.get(slot)
        if table is None or table.capacity < need:
            table = AngleTable(self._capacity_for(need), head_dim, base, positions.device)
            self._tables[slot] = table
        return table.rows(positions)


_registry = TableRegistry()


def _turn(a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    return a * cos - b * sin, b * cos + a * sin


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _registry.lookup(positions, x.size(-1), base)
    half = x.size(-1) // 2
    a, b = x[..., :half], x[..., half:]
    return torch.cat(_turn(a, b, cos, sin), dim=-1).to(x.dtype)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _registry.lookup(positions, x.size(-1), base)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack(_turn(a, b, cos, sin), dim=-1).reshape(x.shape).to(x.dtype)
