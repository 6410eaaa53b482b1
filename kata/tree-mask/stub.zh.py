# attn-kata: tree-mask
from __future__ import annotations

import math

import torch
from torch import Tensor

# 小模型在前缀之后写出一棵草稿 token 的树。第 i 个 token 的父是第 i - back[i] 个；这个下标小
# 于 0 时，它直接跟在前缀后面。back[i] 至少是 1，所以父总在子之前。


def tree_mask(back: Tensor) -> Tensor:
    """哪个草稿 token 可以看哪个：只看祖先和自己。

    back     (drafted,)，从 1 起的整数
    返回     (drafted, drafted) 的 bool：i 看得到 j 时，(i, j) 处为 True
    """
    raise NotImplementedError("write me")


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    """所有草稿 token 一次算完，每个看前缀、自己的祖先和自己。

    query    (batch, heads, drafted, head_dim)，任何浮点 dtype
    key      (batch, heads, key_length, head_dim)，value 相同：先是前缀，后面是草稿 token；
             key_length 是 prefix + drafted
    back     (drafted,)，所有序列共用一棵树
    返回     (batch, heads, drafted, head_dim)

    分数除以 √head_dim。

    不能用：F.scaled_dot_product_attention。只评判前向。
    """
    raise NotImplementedError("write me")
