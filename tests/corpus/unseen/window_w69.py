# 滑动窗口注意力：每个位置只看最近的 window 个位置
import math

import torch


def build_mask(n, window, device):
    """True 表示可以看到"""
    full = torch.ones(n, n, dtype=torch.bool, device=device)
    causal = torch.tril(full)                       # 不看未来
    recent = torch.triu(full, diagonal=-window)
    return causal & recent


def window_attention(query, key, value, window):
    d = query.size(-1)
    n = query.size(-2)
    scores = query @ key.transpose(-2, -1) / math.sqrt(d)
    mask = build_mask(n, window, query.device)
    scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ value
