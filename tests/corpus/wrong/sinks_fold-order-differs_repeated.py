# wrong: sinks fold-order-differs line 28
from __future__ import annotations

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        h, d = self.h, self.d
        # bmm wants one axis for batch and heads: row b * h + i is head i of sample b
        q, k, v = (
            t.view(B, T, h, d).transpose(1, 2).reshape(B * h, T, d)
            for t in self.qkv(x).split(C, dim=2)
        )
        att = torch.bmm(q, k.transpose(1, 2)) * d**-0.5
        att = att.masked_fill(torch.ones(T, T, device=x.device, dtype=torch.bool).triu(1), float("-inf"))
        sink = self.sinks.repeat_interleave(B).view(B * h, 1, 1).expand(-1, T, 1)
        att = torch.cat((att, sink), dim=2).softmax(dim=2)
        y = torch.bmm(att[:, :, :T], v)
        y = y.view(B, h, T, d).transpose(1, 2).reshape(B, T, C)
        return self.proj(y)
