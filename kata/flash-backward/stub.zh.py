# attn-kata: flash-backward
from __future__ import annotations

import math

import torch
from torch import Tensor


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
    """按每块 block_size 个 key，求 softmax(query · keyᵀ / √head_dim) · value 的梯度。

    query, key    (batch, heads, length, head_dim)，任何浮点 dtype
    value         (batch, heads, length, value_dim)
    output        (batch, heads, length, value_dim)：前向返回的输出
    lse           (batch, heads, length)：前向存下的、每个 query 的 log Σ exp(score)
    grad_output   (batch, heads, length, value_dim)：损失对输出的梯度
    block_size    每块有多少个 key；不必整除 length，可以比它大
    causal        query 看不到自己之后的 key
    返回          (grad_query, grad_key, grad_value)，形状与 query、key、value 相同

    output 和 lse 对应的 key 可能比手头的多，ring attention 里就是这样：直接用给出的值，
    不要从 query、key、value 重新算这两样。
    中间的任何张量都不能超过
    2 * batch * heads * (length + block_size) * max(block_size, head_dim, value_dim)
    个元素，每个张量单独算：不能有 length × length 的东西，连 mask 也不行。
    不能用：autograd（requires_grad、backward、torch.autograd、torch.func），以及现成的
    注意力反向或 softmax 反向。
    """
    raise NotImplementedError("write me")
