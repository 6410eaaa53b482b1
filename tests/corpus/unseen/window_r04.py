import math

import torch
from torch import Tensor

# 滑动窗口注意力：每个位置只看自己以及之前的 window-1 个位置


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length = query.shape[-2]
    rows = []
    for t in range(length):
        lo = max(0, t + 1 - window)          # 窗口左端（含）
        q_t = query[:, :, t : t + 1]         # (B, H, 1, D)
        k_t = key[:, :, lo : t + 1]
        v_t = value[:, :, lo : t + 1]
        logit = q_t @ k_t.transpose(-1, -2) / math.sqrt(query.shape[-1])
        rows.append(torch.softmax(logit, dim=-1) @ v_t)
    return torch.cat(rows, dim=2)
