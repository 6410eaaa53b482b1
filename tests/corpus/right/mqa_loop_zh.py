# right: mqa
"""逐个 head 计算，key 和 value 只算一次"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.d = hidden_dim // num_heads
        self.q_heads = nn.ModuleList(nn.Linear(hidden_dim, self.d) for _ in range(num_heads))
        self.k = nn.Linear(hidden_dim, self.d)
        self.v = nn.Linear(hidden_dim, self.d)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, mask=None):
        k, v = self.k(x), self.v(x)          # 共用
        out = []
        for i, proj in enumerate(self.q_heads):
            s = proj(x) @ k.transpose(1, 2) / self.d ** 0.5
            if mask is not None:
                m = mask[:, i] if mask.shape[1] > 1 else mask[:, 0]
                s = s.masked_fill(m == 0, torch.finfo(s.dtype).min)
            out.append(F.softmax(s, dim=-1) @ v)
        return self.o(torch.cat(out, -1))
