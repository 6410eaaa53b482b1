from __future__ import annotations

import torch
from torch import Tensor, nn


def glorot(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(*shape) * shape[0] ** -0.5)


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        d = hidden_dim // num_heads
        self.wq = glorot(hidden_dim, num_heads, d)
        self.wk, self.wv = glorot(hidden_dim, d), glorot(hidden_dim, d)
        self.wo = glorot(hidden_dim, hidden_dim)

    def weights(self, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
        logits = torch.einsum("bqhd,bkd->bqhk", q, k) * k.size(-1) ** -0.5
        if mask is not None:
            logits = logits.masked_fill(mask.movedim(1, 2) == 0, float("-inf"))
        return logits.softmax(-1)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = torch.einsum("btm,mhd->bthd", x, self.wq)
        w = self.weights(q, x @ self.wk, attention_mask)
        context = torch.einsum("bqhk,bkd->bhqd", w, x @ self.wv)
        return context.reshape(x.shape) @ self.wo
