"""ブロックごとに読み、softmax を少しずつ更新する（カーネルと同じ流れ）。"""
from __future__ import annotations

import math

import torch
from torch import Tensor


class RunningSoftmax:
    """最大値・分母・加重和を持ち歩く。"""

    def __init__(self, shape: tuple[int, ...], dim: int, like: Tensor) -> None:
        self.top = like.new_full(shape, -math.inf)
        self.mass = like.new_zeros(shape)
        self.total = like.new_zeros(*shape, dim)

    def add(self, scores: Tensor, values: Tensor) -> None:
        # scores (G, R, n), values (G, n, D)
        top = torch.maximum(self.top, scores.amax(dim=-1))
        old = torch.exp(self.top - top)
        new = torch.exp(scores - top.unsqueeze(-1))
        self.mass = self.mass * old + new.sum(dim=-1)
        self.total = self.total * old.unsqueeze(-1) + new @ values
        self.top = top

    def result(self) -> Tensor:
        return self.total / self.mass.unsqueeze(-1)


def blocks_of(table_row: list[int], length: int, size: int):
    """使っているブロックの番号と、その中の有効な個数。"""
    for i in range(math.ceil(length / size)):
        yield table_row[i], min(size, length - i * size)


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    batch, heads, dim = query.shape
    size, groups = key_pool.shape[1:3]
    wide = torch.float64 if query.dtype == torch.float64 else torch.float32
    q = query.to(wide).view(batch, groups, heads // groups, dim) / math.sqrt(dim)
    out = []
    for b, (row, length) in enumerate(zip(block_table.tolist(), lengths.tolist())):
        state = RunningSoftmax((groups, heads // groups), dim, q)
        for block, count in blocks_of(row, length, size):
            k = key_pool[block, :count].to(wide).transpose(0, 1)      # (G, n, D)
            v = value_pool[block, :count].to(wide).transpose(0, 1)
            state.add(q[b] @ k.mT, v)
        out.append(state.result().reshape(heads, dim))
    return torch.stack(out).to(query.dtype)
