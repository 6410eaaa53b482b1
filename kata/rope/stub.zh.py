# attn-kata: rope
from __future__ import annotations

import torch
from torch import Tensor


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    """旋转位置编码，配对是 (i, i + head_dim/2)，同 GPT-NeoX。

    x          (batch, heads, length, head_dim)，任何浮点 dtype；head_dim 是偶数
    positions  (length,)，int64，与 x 在同一个 device 上；不一定从 0 开始
    base       位置 p 处的第 i 对转过 p · base^(-2i/head_dim) 弧度：(a, b) 变成
               (a·cos − b·sin, b·cos + a·sin)
    返回       形状与 x 相同；每个数还在原来的地方，只是转了

    不管 x 是什么 dtype，角度、cos 和 sin 都用 float32 或更宽来算；之后 cos 和 sin 可以转成 x
    的 dtype。
    """
    raise NotImplementedError("write me")


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    """旋转位置编码，配对是 (2i, 2i + 1)，同论文和 GPT-J。

    其余同上；结果里的一对也是相邻的。
    """
    raise NotImplementedError("write me")
