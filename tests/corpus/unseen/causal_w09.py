# attn-kata: causal
import math

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.block_size = block_size
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)

    def fold(self, t: Tensor) -> Tensor:
        b, n, _ = t.shape
        t = t.reshape(b, n, self.num_heads, self.head_dim)
        return t.permute(2, 0, 1, 3).reshape(self.num_heads * b, n, self.head_dim)

    def unfold(self, t: Tensor, b: int) -> Tensor:
        n = t.size(1)
        t = t.reshape(b, self.num_heads, n, self.head_dim)
        return t.permute(0, 2, 1, 3).reshape(b, n, -1)

    def forward(self, x: Tensor) -> Tensor:
        b, n, _ = x.shape
        assert n <= self.block_size
        q, k, v = self.fold(self.wq(x)), self.fold(self.wk(x)), self.fold(self.wv(x))
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.head_dim)
        future = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        scores = scores.masked_fill(future, -math.inf)
        return self.unfold(torch.bmm(scores.softmax(-1), v), b)
