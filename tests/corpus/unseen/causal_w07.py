import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    """No buffer: tril() zeroes what lies ahead, and the zeros are turned into -inf."""

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int):
        super().__init__()
        self.num_heads = num_heads
        self.max_len = block_size
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def split(self, y):
        return y.unflatten(-1, (self.num_heads, -1)).movedim(-2, -3)

    def forward(self, x):
        q, k, v = (self.split(f(x)) for f in (self.q, self.k, self.v))
        scores = torch.matmul(q, k.mT) / q.shape[-1] ** 0.5
        scores = scores.tril()
        scores = scores.masked_fill(scores == 0, float("-inf"))
        out = scores.softmax(dim=-1) @ v
        return self.o(out.movedim(-3, -2).flatten(-2))
