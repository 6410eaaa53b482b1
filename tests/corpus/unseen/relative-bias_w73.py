# T5 相对位置偏置
from __future__ import annotations

import math

import torch
from torch import Tensor


def bucket(
    relative_position: Tensor,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    每向桶数 = num_buckets // 2 if bidirectional else num_buckets
    精确 = 每向桶数 // 2
    if bidirectional:
        起点 = torch.where(relative_position >= 0, 每向桶数, 0)
        距离 = relative_position.abs()
    else:
        起点 = torch.zeros_like(relative_position)
        距离 = (-relative_position).clamp_min(0)
    # 对数部分：距离为 0 时不会被选中，先垫到 精确
    比例 = torch.log(距离.clamp_min(精确).to(torch.float64) / 精确) / math.log(max_distance / 精确)
    远 = 精确 + (比例 * (每向桶数 - 精确)).floor().long()
    return 起点 + torch.where(距离 < 精确, 距离, 远.clamp_max(每向桶数 - 1))


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    键位 = torch.arange(key_length, device=table.device)
    查询位 = 键位[key_length - query_length :]
    差 = 键位.view(1, -1) - 查询位.view(-1, 1)
    桶 = bucket(差, bidirectional, table.size(0), max_distance)
    return table.t()[:, 桶]


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    m, n = query.size(-2), key.size(-2)
    分数 = torch.einsum("bhqd,bhkd->bhqk", query, key)
    分数 = 分数 + bias(table, m, n, bidirectional, max_distance)
    if not bidirectional:
        可见 = torch.ones(m, n, dtype=torch.bool, device=分数.device).tril(n - m)
        分数 = 分数.masked_fill(可见.logical_not(), float("-inf"))
    权重 = torch.softmax(分数, dim=-1)
    return torch.einsum("bhqk,bhkd->bhqd", 权重, value)
