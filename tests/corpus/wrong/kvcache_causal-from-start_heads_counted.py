# wrong: kvcache causal-from-start line 35
# fair: causal-from-start 30
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.n_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        bsz, seqlen, _ = x.shape
        xq = self.wq(x).view(bsz, seqlen, self.n_heads, self.head_dim).transpose(1, 2)
        xk = self.wk(x).view(bsz, seqlen, self.n_heads, self.head_dim).transpose(1, 2)
        xv = self.wv(x).view(bsz, seqlen, self.n_heads, self.head_dim).transpose(1, 2)

        start_pos = 0
        if cache is not None:
            start_pos = cache[0].size(1)
            xk = torch.cat((cache[0], xk), dim=2)
            xv = torch.cat((cache[1], xv), dim=2)

        mask = torch.ones(seqlen, xk.size(2), dtype=torch.bool, device=x.device)
        mask = torch.tril(mask, diagonal=start_pos)
        scores = torch.matmul(xq, xk.transpose(2, 3)) / math.sqrt(self.head_dim)
        scores = scores.masked_fill(~mask, float("-inf"))
        output = torch.matmul(torch.softmax(scores, dim=-1), xv)
        output = output.transpose(1, 2).contiguous().view(bsz, seqlen, -1)
        return self.wo(output), (xk, xv)
