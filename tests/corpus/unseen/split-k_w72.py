# 分块解码：逐块计算，两两合并
from __future__ import annotations

import torch
from torch import Tensor


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    分 = torch.einsum("bhqd,bhkd->bhqk", query, key) / query.shape[-1] ** 0.5
    分 = torch.where(seen[:, None, None, :], 分, float("-inf"))
    最大 = 分.amax(dim=-1, keepdim=True)
    最大 = torch.where(最大.isinf(), 0.0, 最大)
    指数 = torch.exp(分 - 最大)
    和 = 指数.sum(dim=-1, keepdim=True)
    空 = 和 == 0
    输出 = torch.einsum("bhqk,bhkd->bhqd", 指数 / torch.where(空, 1.0, 和), value)
    return 输出, (最大 + 和.log()).squeeze(-1)


def 合并一对(o1: Tensor, l1: Tensor, o2: Tensor, l2: Tensor) -> tuple[Tensor, Tensor]:
    l = torch.logaddexp(l1, l2)
    w1, w2 = torch.exp(l1 - l), torch.exp(l2 - l)
    return o1 * w1.unsqueeze(-1) + o2 * w2.unsqueeze(-1), l


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    o, l = outputs[0], lses[0]
    for o2, l2 in zip(outputs[1:], lses[1:]):
        o, l = 合并一对(o, l, o2, l2)
    return o, l


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    位置 = torch.arange(key.shape[2], device=key.device)
    可见 = 位置[None, :] < lengths.to(key.device)[:, None]
    结果 = [
        chunk_attention(query, k, v, s)
        for k, v, s in zip(
            key.tensor_split(splits, dim=2),
            value.tensor_split(splits, dim=2),
            可见.tensor_split(splits, dim=1),
        )
        if k.shape[2] > 0
    ]
    输出, 对数和 = (torch.stack(t) for t in zip(*结果))
    return merge(输出, 对数和)[0]
