# attn-kata: gated-linear
from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    """让状态衰减，写入一个位置，再读出来。

    query、key  (batch, heads, head_dim)，任何浮点 dtype
    value       (batch, heads, value_dim)
    gate        (batch, heads)：状态保留 sigmoid(gate)^(1/16)
    state       (batch, heads, head_dim, value_dim)
    返回        (row, new_state)：row 是 (batch, heads, value_dim)，new_state 的形状与 state 相同

    new_state = sigmoid(gate)^(1/16) · state + key · valueᵀ，row = new_stateᵀ · query：先写后读。
    没有缩放，没有特征映射，也不归一化。只评判前向。
    """
    raise NotImplementedError("write me")


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    """每块 chunk_size 个位置，结果与逐步计算相同。

    query、key  (batch, heads, length, head_dim)
    value       (batch, heads, length, value_dim)
    gate        (batch, heads, length)
    state       (batch, heads, head_dim, value_dim)：第一个位置面对的状态
    chunk_size  每块有多少个位置；不必整除 length，可以比它大
    返回        (output, final_state)：output 是 (batch, heads, length, value_dim)；final_state
                是最后一个位置之后的状态

    不能有 (length, length) 的东西：中间的任何张量都不能超过
    batch * heads * max(2 * (length + chunk_size) * max(chunk_size, head_dim, value_dim),
    (length // chunk_size + 2) * head_dim * value_dim) 个元素，每个张量单独算。
    gate 放大 10000 倍也要能算，梯度也一样。
    """
    raise NotImplementedError("write me")
