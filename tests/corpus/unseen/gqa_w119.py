import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(s, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        s.h, s.g, s.r, s.d = num_heads, num_kv_heads, num_heads // num_kv_heads, hidden_dim // num_heads
        s.wq = nn.Linear(hidden_dim, s.h * s.d, bias=False)
        s.wkv = nn.Linear(hidden_dim, 2 * s.g * s.d, bias=False)
        s.wo = nn.Linear(s.h * s.d, hidden_dim, bias=False)

    def forward(s, x, attention_mask=None):
        b, n, _ = x.shape
        # the r queries of a group ride along the row axis: one matmul per kv head
        q = s.wq(x).view(b, n, s.h, s.d).transpose(1, 2).reshape(b, s.g, s.r * n, s.d)
        k, v = s.wkv(x).view(b, n, 2, s.g, s.d).permute(2, 0, 3, 1, 4)
        a = q @ k.mT / s.d**0.5
        if (m := attention_mask) is not None:
            if m.size(1) == s.h > 1:
                m = m.reshape(b, s.g, s.r * n, n)
            elif m.size(2) > 1:
                m = m.repeat_interleave(s.r, dim=2)
            a = a.masked_fill(m == 0, -torch.inf)
        y = a.softmax(-1) @ v
        return s.wo(y.reshape(b, s.h, n, s.d).transpose(1, 2).flatten(2))
