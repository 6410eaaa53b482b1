# attn-kata: window
# 滑动窗口注意力
import math

import torch


def window_attention(query, key, value, window):
    B, H, L, d = query.shape
    score = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(d)

    idx = torch.arange(L, device=query.device)
    # 因果: 不能看到未来
    causal = idx[None, :] <= idx[:, None]
    # 窗口: 只能看到同一个窗口里的 key
    same_window = (idx[None, :] // window) == (idx[:, None] // window)
    mask = causal & same_window

    score = score.masked_fill(~mask, float("-inf"))
    prob = torch.softmax(score, dim=-1)
    return torch.matmul(prob, value)
