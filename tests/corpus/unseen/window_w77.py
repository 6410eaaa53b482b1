from __future__ import annotations

import torch
from torch import Tensor


def sliding_window_mask(length: int, window: int, device: torch.device) -> Tensor:
    pos = torch.arange(length, device=device)
    distance = pos[:, None] - pos[None, :]
    return distance.abs() < window


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    # 先算分数,再把窗口外的位置遮掉
    scores = torch.einsum("bhid,bhjd->bhij", query, key) * query.shape[-1] ** -0.5
    mask = sliding_window_mask(query.shape[-2], window, query.device)
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    attn = scores.softmax(dim=-1)
    return torch.einsum("bhij,bhjd->bhid", attn, value)
