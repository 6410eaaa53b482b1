import torch
import torch.nn.functional as F
from torch import nn


class CausalSelfAttention(nn.Module):
    """GPT-style attention; the triangle is kept as a buffer of block_size x block_size."""

    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.heads = num_heads
        self.width = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.register_buffer("tri", torch.ones(block_size, block_size).tril().bool(), persistent=False)

    def _split(self, t):
        b, n, _ = t.shape
        return t.reshape(b, n, self.heads, self.width).swapaxes(1, 2)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = map(self._split, (self.q(x), self.k(x), self.v(x)))
        logits = torch.einsum("bhqd,bhkd->bhqk", q, k) * self.width ** -0.5
        if self.tri.size(0) != n:
            self.tri = self.tri[:n, :n]
        logits = logits.masked_fill(~self.tri, float("-inf"))
        out = torch.einsum("bhqk,bhkd->bhqd", F.softmax(logits, dim=-1), v)
        return out.swapaxes(1, 2).reshape(b, n, c)
