# 旋转位置编码的两种配对方式
from __future__ import annotations

import torch
from torch import Tensor


def 角度表(positions: Tensor, 头宽: int, base: float) -> Tensor:
    """每个位置、每一对的角度，(长度, 头宽/2)，始终用 float32 以上。"""
    i = torch.arange(0, 头宽, 2, dtype=torch.float64, device=positions.device)
    频率 = torch.pow(torch.tensor(float(base), dtype=torch.float64, device=i.device), -2 * i / 头宽)
    return positions.to(torch.float64).unsqueeze(-1) * 频率


def 转(a: Tensor, b: Tensor, 角: Tensor) -> tuple[Tensor, Tensor]:
    余弦, 正弦 = torch.cos(角).to(a.dtype), torch.sin(角).to(a.dtype)
    return a * 余弦 - b * 正弦, b * 余弦 + a * 正弦


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    a, b = x.chunk(2, dim=-1)
    return torch.cat(转(a, b, 角度表(positions, x.size(-1), base)), dim=-1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    a, b = x[..., 0::2], x[..., 1::2]
    新 = 转(a, b, 角度表(positions, x.size(-1), base))
    return torch.stack(新, dim=-1).flatten(-2)
