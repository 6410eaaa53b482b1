import math

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    # 多头因果注意力

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.w_q = nn.Linear(hidden_dim, hidden_dim)
        self.w_k = nn.Linear(hidden_dim, hidden_dim)
        self.w_v = nn.Linear(hidden_dim, hidden_dim)
        self.w_o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        b, n, c = x.size()
        q = self.w_q(x).reshape(b, n, self.num_heads, -1).permute(0, 2, 1, 3)
        k = self.w_k(x).reshape(b, n, self.num_heads, -1).permute(0, 2, 3, 1)  # 直接转置好
        v = self.w_v(x).reshape(b, n, self.num_heads, -1).permute(0, 2, 1, 3)
        dots = torch.matmul(q, k) / math.sqrt(k.size(-1))
        future = torch.triu(torch.ones(n, n, device=x.device), diagonal=1).bool()
        dots = dots.masked_fill(future, float('-inf'))
        out = torch.matmul(dots.softmax(-1), v)
        return self.w_o(out.permute(0, 2, 1, 3).reshape(b, n, c))
