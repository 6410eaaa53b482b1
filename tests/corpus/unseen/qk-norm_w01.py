import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class L2HeadNorm(nn.Module):
    """RMS over a head's features: unit length times √d, then the learned gain."""

    def __init__(self, head_dim: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(head_dim))
        self.root = math.sqrt(head_dim)

    def forward(self, u: Tensor) -> Tensor:
        return F.normalize(u, dim=-1) * self.root * self.gain


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError(f"{hidden_dim=} is no multiple of {num_heads=}")
        self.n_heads = num_heads
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(4))
        self.norm_q = L2HeadNorm(hidden_dim // num_heads)
        self.norm_k = L2HeadNorm(hidden_dim // num_heads)

    def forward(self, x: Tensor) -> Tensor:
        b, n, _ = x.shape
        split = lambda t: t.view(b, n, self.n_heads, -1)
        q = self.norm_q(split(self.wq(x)))
        k = self.norm_k(split(self.wk(x)))
        v = split(self.wv(x))
        logits = torch.einsum("bihd,bjhd->bhij", q, k) / math.sqrt(q.shape[-1])
        logits = logits + torch.full((n, n), -math.inf, dtype=x.dtype, device=x.device).triu(1)
        ctx = torch.einsum("bhij,bjhd->bihd", F.softmax(logits, -1), v)
        return self.wo(ctx.reshape(b, n, -1))
