# attn-kata: drill-expand
from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    """把 key (batch, length, head_dim) 看成 (batch, heads, length, head_dim)。

    每个 head 看到同样的 key。不拷贝：结果与 key 共用内存。
    """
    raise NotImplementedError("write me")


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    """给每个 head 一份 key (batch, length, head_dim) 的拷贝，其中第 head 个全为 0。

    heads    2 或更多
    head     0 到 heads - 1
    返回     (batch, heads, length, head_dim)，有自己的内存；key 保持原样
    """
    raise NotImplementedError("write me")


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    """把 key (batch, kv_heads, length, head_dim) 的每个 head 重复几份，同一个 head 的几份相邻。

    返回     (batch, kv_heads * repeats, length, head_dim)：第 h 个 head 是 key 的第
             h // repeats 个；连续与否都可以，repeats 为 1 时返回 key 本身也行
    """
    raise NotImplementedError("write me")


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    """把 slopes (heads,) 里每个 head 的数加到分数 (batch, heads, length, length) 上。

    不能用：expand、broadcast_to、repeat、tile、stack、cat 及其变体，也不能用循环。让加法自己广播。
    """
    raise NotImplementedError("write me")


def distances(positions: Tensor) -> Tensor:
    """返回 (length, length) 的整数：第 i 行第 j 列是 positions[j] - positions[i]。

    positions  (length,)，int64，从哪里开始、按什么次序都可能；返回任何整数 dtype 都可以
    """
    raise NotImplementedError("write me")
