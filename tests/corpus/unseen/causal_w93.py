import math

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.block_size = block_size
        self.n_head = num_heads
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        assert T <= self.block_size
        q, k, v = self.c_attn(x).split(C, dim=2)
        q, k, v = (t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in (q, k, v))
        att = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))

        place = torch.arange(T).to(x)
        future = place[None, :] > place[:, None]
        att = att.masked_fill(future, float("-inf")).softmax(dim=-1)

        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y)
