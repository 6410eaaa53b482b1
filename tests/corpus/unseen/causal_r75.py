from __future__ import annotations
import torch
from torch import Tensor, nn


class CausalBias(nn.Module):
    """Additive bias, grown lazily, one per device and dtype; never part of the state dict."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("table", torch.empty(0, 0), persistent=False)

    def forward(self, t: int, like: Tensor) -> Tensor:
        if self.table.size(0) < t or self.table.device != like.device or self.table.dtype != like.dtype:
            idx = torch.arange(t, device=like.device)
            future = idx[None, :] > idx[:, None]
            self.table = torch.zeros(t, t, dtype=like.dtype, device=like.device).masked_fill_(future, -torch.inf)
        return self.table[:t, :t]


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("num_heads must divide hidden_dim")
        self.num_heads, self.block_size = num_heads, block_size
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)  # key, query, value
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.bias = CausalBias()

    def forward(self, x: Tensor) -> Tensor:
        t = x.size(1)
        if t > self.block_size:
            raise ValueError(f"{t} positions, block_size is {self.block_size}")
        k, q, v = self.in_proj(x).unflatten(-1, (3, self.num_heads, -1)).permute(2, 0, 3, 1, 4)
        logits = torch.einsum("bhid,bhjd->bhij", q, k) * k.size(-1) ** -0.5 + self.bias(t, q)
        return self.out_proj(torch.einsum("bhij,bhjd->bihd", logits.softmax(-1), v).flatten(-2))
