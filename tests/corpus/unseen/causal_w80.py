import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    """[batch, time, heads, depth] layout throughout, no transposes."""

    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.depth = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        steps = torch.arange(block_size)
        self.register_buffer("allowed", steps[:, None] >= steps[None, :], persistent=False)

    def _split(self, y):
        return y.reshape(y.shape[0], y.shape[1], self.num_heads, self.depth)

    def forward(self, x):
        t = x.shape[1]
        q = self._split(self.query(x)) * self.depth**-0.5
        k = self._split(self.key(x))
        v = self._split(self.value(x))

        logits = torch.einsum("bqhd,bkhd->bqkh", q, k)
        allowed = self.allowed[:t, :t, None]
        big_neg = torch.finfo(logits.dtype).min
        logits = torch.where(allowed, logits, big_neg)
        weights = torch.softmax(logits, dim=-1)
        weights = weights * allowed
        context = torch.einsum("bqkh,bkhd->bqhd", weights, v)
        return self.out(context.flatten(start_dim=2))
