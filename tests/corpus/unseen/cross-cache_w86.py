# attn-kata: cross-cache
from __future__ import annotations
import torch
from torch import nn, Tensor


def padding(lengths: Tensor, width: int) -> Tensor:
    """True at padding, (batch, width)"""
    place = torch.arange(width, device=lengths.device)
    return place.unsqueeze(0) > lengths.unsqueeze(1)


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.h = num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_kv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache=None):
        if cache is None:
            k, v = self.to_kv(memory).chunk(2, dim=-1)
            k, v = (t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in (k, v))
            hidden = padding(memory_lengths.to(x.device), memory.shape[1])
            cache = (k, v, hidden[:, None, None, :])
        k, v, hidden = cache
        q = self.to_q(x).unflatten(-1, (self.h, -1)).transpose(1, 2)
        scores = torch.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
        weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        out = torch.einsum("bhij,bhjd->bihd", weights, v)
        return self.to_out(out.flatten(2)), cache
