from __future__ import annotations

import torch
from torch import Tensor, nn


def length_mask(lengths: Tensor, size: int) -> Tensor:
    """True for the positions that belong to a sequence; (batch, size)."""
    return torch.arange(size, device=lengths.device).expand(len(lengths), size) <= lengths[:, None]


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.Wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wkv = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.Wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def remember(self, memory: Tensor, lengths: Tensor) -> dict[str, Tensor]:
        k, v = self.Wkv(memory).unflatten(-1, (2, self.heads, -1)).unbind(2)
        return {"k": k, "v": v, "real": length_mask(lengths, memory.shape[1])}

    def forward(self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache=None):
        if cache is None:
            cache = self.remember(memory, memory_lengths)
        q = self.Wq(x).unflatten(-1, (self.heads, -1))
        s = torch.einsum("bthd,bmhd->bhtm", q, cache["k"]) * q.shape[-1] ** -0.5
        s = torch.where(cache["real"][:, None, None, :], s, float("-inf"))
        y = torch.einsum("bhtm,bmhd->bthd", s.softmax(-1), cache["v"])
        return self.Wo(y.flatten(2)), cache
