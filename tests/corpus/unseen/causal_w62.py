# attn-kata: causal
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    """einsum only: b batch, t query position, s key position, h head, k head_dim, d model"""

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        head_dim = hidden_dim // num_heads
        bound = 1 / math.sqrt(hidden_dim)
        self.block_size = block_size
        self.wq = nn.Parameter(torch.empty(hidden_dim, num_heads, head_dim).uniform_(-bound, bound))
        self.wk = nn.Parameter(torch.empty(hidden_dim, num_heads, head_dim).uniform_(-bound, bound))
        self.wv = nn.Parameter(torch.empty(hidden_dim, num_heads, head_dim).uniform_(-bound, bound))
        self.wo = nn.Parameter(torch.empty(num_heads, head_dim, hidden_dim).uniform_(-bound, bound))

    def forward(self, x: Tensor) -> Tensor:
        _, length, _ = x.shape
        assert length <= self.block_size, "sequence is longer than block_size"

        q = torch.einsum("btd,dhk->bthk", x, self.wq)
        k = torch.einsum("bsd,dhk->bshk", x, self.wk)
        v = torch.einsum("bsd,dhk->bshk", x, self.wv)

        logits = torch.einsum("bthk,bshk->bhts", q, k) / math.sqrt(q.shape[-1])

        idx = torch.arange(length, device=x.device)
        may_attend = idx[None, :] >= idx[:, None]
        logits = logits.masked_fill(~may_attend, float("-inf"))

        probs = torch.softmax(logits, dim=-1)
        ctx = torch.einsum("bhts,bshk->bthk", probs, v)
        return torch.einsum("bthk,hkd->btd", ctx, self.wo)
