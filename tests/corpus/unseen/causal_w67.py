from __future__ import annotations

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.heads = num_heads
        self.block_size = block_size
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    @staticmethod
    def visible(x: Tensor) -> Tensor:
        """(length, length) flags, same device as x: column <= row."""
        t = torch.arange(x.shape[1], device=x.device, dtype=x.dtype)
        return t[None, :] <= t[:, None]

    def forward(self, x: Tensor) -> Tensor:
        b, n, _ = x.shape
        if n > self.block_size:
            raise IndexError(f"{n} positions, block_size is {self.block_size}")
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = (t.view(b, n, self.heads, -1).transpose(1, 2) for t in (q, k, v))

        sim = torch.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
        sim = sim.masked_fill(~self.visible(x), -torch.finfo(sim.dtype).max)
        attn = sim.softmax(dim=-1)

        out = torch.einsum("bhij,bhjd->bhid", attn, v)
        return self.to_out(out.transpose(1, 2).reshape(b, n, -1))
