from __future__ import annotations

import torch
from torch import Tensor

# 思路: 偏置只依赖于 (键位置 - 查询位置), 所以它是一个 Toeplitz 矩阵.
# 先算一条一维的“尺子”, 再用滑动窗口把它切成每一行.


def _power_of_two(n: int) -> bool:
    return n & (n - 1) == 0


def slopes(heads: int) -> Tensor:
    if _power_of_two(heads):
        steps = torch.linspace(8 / heads, 8, heads, dtype=torch.float64)
        return torch.exp2(-steps)
    # 不是 2 的幂: 先取较小的那个, 再从两倍的里面隔一个取一个 (递归)
    below = 1 << (heads.bit_length() - 1)
    return torch.cat((slopes(below), slopes(2 * below)[::2][: heads - below]))


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    # 尺子: 键减查询, 从 -(K-1) 一直到 Q-1
    ruler = torch.arange(1 - key_length, query_length)
    penalty = torch.where(ruler > 0, float("-inf"), ruler.double())
    # 第 q 个查询的窗口从 Q-1-q 开始, 所以窗口的顺序要翻转
    rows = penalty.unfold(0, key_length, 1).flip(0)
    return torch.einsum("h,qk->hqk", slopes(heads), rows)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    heads, q_len, dim = query.shape[1:]
    scaled = query / dim**0.5
    scores = torch.matmul(scaled, key.transpose(-1, -2))
    scores = scores + bias(heads, q_len, key.shape[2]).to(scores)
    return torch.softmax(scores, -1) @ value
