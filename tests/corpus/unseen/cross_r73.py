"""Cross-attention as a map over query positions (jax.vmap habits, torch.vmap spelling)."""
import torch
from torch import nn


def _lookup(q, k, v, ok):
    """q [D], k/v [K, D], ok [K] -> (weights [K])"""
    s = (k @ q) * q.shape[0] ** -0.5
    s = torch.where(ok, s, -1e30 if s.dtype != torch.float16 else -6e4)
    s = s - s.amax()
    e = s.exp()
    return e / e.sum()


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.H = num_heads
        self.q_dense = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_dense = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_dense = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o_dense = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.dropout = nn.Dropout(dropout)

        per_query = torch.vmap(_lookup, in_dims=(0, None, None, 0))
        per_head = torch.vmap(per_query, in_dims=(0, 0, 0, None))
        self._weights = torch.vmap(per_head)

    def _heads(self, t):
        return t.unflatten(-1, (self.H, -1)).swapaxes(1, 2)

    def forward(self, query, key, value, mask=None):
        q = self._heads(self.q_dense(query))
        k = self._heads(self.k_dense(key))
        v = self._heads(self.v_dense(value))
        if mask is None:
            mask = torch.ones(1, dtype=torch.bool, device=q.device).expand(q.shape[0], q.shape[2], k.shape[2])
        w = self.dropout(self._weights(q, k, v, mask.bool()))
        out = torch.einsum("bhqk,bhkd->bqhd", w, v).flatten(-2)
        return self.o_dense(out)
