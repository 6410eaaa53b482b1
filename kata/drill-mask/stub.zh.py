# attn-kata: drill-mask
from __future__ import annotations

import torch
from torch import Tensor

# 这里每个函数的 mask，True 或 1 都表示 query 可以看。


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    """返回 (batch, max_length) 的 bool：样本 b 的前 lengths[b] 处为 True。

    lengths  (batch,)，1 到 max_length 的整数
    """
    raise NotImplementedError("write me")


def key_mask(mask: Tensor) -> Tensor:
    """把 key 的 mask，(batch, length) 的 bool，看成 (batch, 1, 1, length)。

    不拷贝：结果与 mask 共用内存。
    """
    raise NotImplementedError("write me")


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    """把 key 的 mask，(batch, length) 的 bool，看成 (batch, heads, length, length)。

    (b, h, i, j) 处是 mask[b, j]。不拷贝：结果与 mask 共用内存。
    """
    raise NotImplementedError("write me")


def causal_mask(length: int) -> Tensor:
    """返回 (length, length) 的 bool：query i 可以看 key j，即 j <= i 时，(i, j) 处为 True。

    放在默认的 device 上：没有张量可以参照。
    """
    raise NotImplementedError("write me")


def combined_mask(mask: Tensor) -> Tensor:
    """返回 (batch, 1, length, length) 的 bool：key 既不是填充、也不在 query 之后的地方为 True。

    mask     (batch, length) 的 bool，不是填充的 key 处为 True
    """
    raise NotImplementedError("write me")


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    """遮住 mask 不让看的分数，再对 key 做 softmax。

    scores   (batch, heads, length, length)，任何浮点 dtype
    mask     能广播到 scores：query 可以看的地方是 1 或 True，不可以的是 0 或 False；bool、
             整数、浮点都可能
    返回     形状与 scores 相同
    """
    raise NotImplementedError("write me")


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    """返回加到分数上的张量：mask 为 True 处是 0，为 False 处是 -inf。

    mask     (batch, 1, length, length) 的 bool
    scores   (batch, heads, length, length)，任何浮点 dtype
    返回     形状与 mask 相同，dtype 与 scores 相同
    """
    raise NotImplementedError("write me")
