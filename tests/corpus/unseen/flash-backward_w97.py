from __future__ import annotations

import math

import torch
from torch import Tensor


class _Tile:
    """A range of positions, and the rows of some tensors in it."""

    def __init__(self, start: int, stop: int) -> None:
        self.start, self.stop = start, stop

    def of(self, t: Tensor) -> Tensor:
        return t[:, :, self.start : self.stop]

    def positions(self, device) -> Tensor:
        return torch.arange(self.start, self.stop, device=device)

    @classmethod
    def all(cls, length: int, size: int) -> list["_Tile"]:
        return [cls(i, min(i + size, length)) for i in range(0, length, size)]


@torch.no_grad()
def flash_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    lse: Tensor,
    grad_output: Tensor,
    block_size: int,
    causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    scale = 1.0 / math.sqrt(query.size(-1))
    row_sum = torch.sum(grad_output * output, dim=-1)
    grad_query, grad_key, grad_value = map(torch.zeros_like, (query, key, value))
    tiles = _Tile.all(query.size(2), block_size)
    for cols in tiles:
        k, v = cols.of(key), cols.of(value)
        for rows in tiles:
            if causal and rows.stop <= cols.start:
                continue
            q, go = rows.of(query), rows.of(grad_output)
            exponent = torch.matmul(q, k.transpose(-1, -2)) * scale - rows.of(lse).unsqueeze(-1)
            if causal:
                ahead = cols.positions(q.device) > rows.positions(q.device).unsqueeze(-1)
                exponent = exponent.masked_fill(ahead, -math.inf)
            p = exponent.exp()
            ds = p * (go @ v.transpose(-1, -2) - rows.of(row_sum).unsqueeze(-1)) * scale
            cols.of(grad_value).add_(p.transpose(-1, -2) @ go)
            cols.of(grad_key).copy_(ds.transpose(-1, -2) @ q)
            rows.of(grad_query).add_(ds @ k)
    return grad_query, grad_key, grad_value
