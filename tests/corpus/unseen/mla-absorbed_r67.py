# 吸收上投影的潜在注意力，逐序列计算；只取各自的有效长度
from __future__ import annotations

import torch
from torch import Tensor


def 旋转(向量: Tensor, 位置: Tensor) -> Tensor:
    宽 = 向量.size(-1)
    频率 = 1.0 / 10000.0 ** (torch.arange(0, 宽, 2, device=向量.device).float() / 宽)
    角 = 位置.float()[..., None] * 频率
    余弦, 正弦 = angle_table(角, 向量.dtype)
    前, 后 = 向量.chunk(2, dim=-1)
    反 = torch.cat([-后, 前], dim=-1)
    return 向量 * 余弦 + 反 * 正弦


def angle_table(角: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    双 = torch.cat([角, 角], dim=-1)
    return 双.cos().to(dtype), 双.sin().to(dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat([latent, 旋转(key_rope, positions)], dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    _, 头数, 新长, 头宽 = query_content.shape
    旋宽 = query_rope.size(-1)
    潜宽 = cache.size(-1) - 旋宽
    权 = kv_up.view(头数, 2 * 头宽, 潜宽)
    键权, 值权 = 权[:, :头宽], 权[:, 头宽:]
    缩放 = (头宽 + 旋宽) ** -0.5
    结果 = []
    for 内容, 旋, 条目, 长 in zip(query_content, query_rope, cache, lengths.tolist()):
        条目 = 条目[:长]
        位置 = torch.arange(长 - 新长, 长, device=cache.device)
        吸收 = torch.matmul(内容 * 缩放, 键权)  # (头, 新长, 潜宽)
        旋后 = 旋转(旋, 位置) * 缩放
        分数 = 吸收 @ 条目[:, :潜宽].T + 旋后 @ 条目[:, 潜宽:].T
        可见 = torch.ones(新长, 长, dtype=torch.bool, device=cache.device).tril(长 - 新长)
        权重 = 分数.masked_fill(~可见, float("-inf")).softmax(-1)
        结果.append((权重 @ 条目[:, :潜宽]) @ 值权.transpose(1, 2))
    return torch.stack(结果)
