# multi-query attention with raw weights; log of the mask is added, so 0 becomes -inf
from __future__ import annotations

import math

import torch
import torch.nn as nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        d = hidden_dim // num_heads
        self.shape = (num_heads, d)
        init = lambda *s: nn.Parameter(torch.randn(*s) / math.sqrt(hidden_dim))  # noqa: E731
        self.Wq = nn.ParameterList([init(hidden_dim, d) for _ in range(num_heads)])
        self.Wk = init(hidden_dim, d)
        self.Wv = init(hidden_dim, d)
        self.Wo = nn.ParameterList([init(d, hidden_dim) for _ in range(num_heads)])
        self.bo = nn.Parameter(torch.zeros(hidden_dim))

    def forward(self, x, attention_mask=None):
        num_heads, d = self.shape
        keys, values = x @ self.Wk, x @ self.Wv
        y = self.bo
        for h in range(num_heads):
            logits = (x @ self.Wq[h]) @ keys.transpose(-2, -1) / math.sqrt(d)
            if attention_mask is not None:
                m = attention_mask[:, h if attention_mask.shape[1] == num_heads else 0]
                logits = logits + torch.log(m.to(logits.dtype))
            y = y + (torch.softmax(logits, dim=-1) @ values) @ self.Wo[h]
        return y
