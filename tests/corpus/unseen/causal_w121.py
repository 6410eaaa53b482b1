import torch
from torch import nn


def past_only(scores):
    """-inf where the key lies after its query."""
    n = scores.shape[-1]
    pos = torch.arange(n, device=scores.device, dtype=scores.dtype)
    behind = pos.unsqueeze(1) - pos.unsqueeze(0)
    return scores.masked_fill(behind < 0, float("-inf"))


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.block_size = block_size
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        assert x.shape[1] <= self.block_size
        q, k, v = (f(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                   for f in (self.query, self.key, self.value))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        weights = past_only(scores).softmax(-1)
        return (weights @ v).transpose(1, 2).flatten(2)
