import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    """Without an output layer."""

    def __init__(self, hidden_dim, num_heads, block_size, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.num_heads = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        assert x.size(1) <= self.block_size, "sequence too long"
        q, k, v = (f(x).unflatten(-1, (self.num_heads, -1)) for f in (self.q, self.k, self.v))
        scores = torch.einsum("bihd,bjhd->bhij", q, k) / q.size(-1) ** 0.5
        pos = torch.arange(x.size(1), device=x.device)
        allowed = pos[:, None] >= pos[None, :]
        weights = torch.where(allowed, scores, -torch.inf).softmax(dim=-1)
        return torch.einsum("bhij,bjhd->bihd", self.dropout(weights), v).flatten(2)
