# 滑动窗口注意力：左侧补零后展开
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def 展开(t: Tensor, 窗: int) -> Tensor:
    """(批, 头, 长, 宽) -> (批, 头, 长, 窗, 宽)，第 i 行是 i - 窗 + 1 到 i。"""
    return F.pad(t, (0, 0, 窗 - 1, 0)).unfold(-2, 窗, 1).transpose(-1, -2)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    长, 宽 = query.shape[-2:]
    窗 = min(window, 长)
    键, 值 = 展开(key, 窗), 展开(value, 窗)
    分数 = torch.matmul(键, query.unsqueeze(-1)).squeeze(-1) / math.sqrt(宽)
    权重 = torch.softmax(分数, dim=-1)
    return torch.matmul(权重.unsqueeze(-2), 值).squeeze(-2)
