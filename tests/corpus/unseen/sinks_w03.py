# attn-kata: sinks
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


# 带 sink 的注意力：softmax 里多一个可学习的 logit
class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.W_q = nn.Linear(hidden_dim, hidden_dim)
        self.W_k = nn.Linear(hidden_dim, hidden_dim)
        self.W_v = nn.Linear(hidden_dim, hidden_dim)
        self.W_o = nn.Linear(hidden_dim, hidden_dim)
        self.sink = nn.Parameter(torch.zeros(1, num_heads, 1, 1))

    def split(self, t: Tensor) -> Tensor:
        b, n, _ = t.size()
        return t.view(b, n, self.num_heads, self.head_dim).permute(0, 2, 1, 3)

    def forward(self, x: Tensor) -> Tensor:
        b, n, c = x.size()
        q, k, v = self.split(self.W_q(x)), self.split(self.W_k(x)), self.split(self.W_v(x))

        s = torch.matmul(q, k.permute(0, 1, 3, 2)) / math.sqrt(self.head_dim)
        mask = torch.tril(torch.ones(n, n, device=x.device))        # 1 表示可见
        s = s.masked_fill(mask == 0, float("-inf"))
        s = torch.cat([self.sink.expand(b, -1, n, -1), s], dim=-1)  # (b, h, n, n + 1)
        p = torch.softmax(s, dim=-1)
        p = p[..., :-1]                                             # 去掉 sink
        out = torch.matmul(p, v)                                    # (b, h, n, d)
        out = out.permute(0, 2, 1, 3).contiguous().view(b, n, c)
        return self.W_o(out)
