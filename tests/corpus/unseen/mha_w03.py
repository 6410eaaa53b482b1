# attn-kata: mha
from __future__ import annotations

import torch
from torch import Tensor, nn


def dense_general(x: Tensor, kernel: Tensor) -> Tensor:
    return torch.einsum("btm,mhd->bthd", x, kernel)


class MultiHeadAttention(nn.Module):
    """Kernels of shape (model, heads, head_dim); heads are never moved, einsum does the rest."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        head_dim = hidden_dim // num_heads

        def init(*shape: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(*shape) * hidden_dim ** -0.5)

        self.wq = init(hidden_dim, num_heads, head_dim)
        self.wk = init(hidden_dim, num_heads, head_dim)
        self.wv = init(hidden_dim, num_heads, head_dim)
        self.wo = init(num_heads, head_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.scale = head_dim ** -0.5

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = dense_general(x, self.wq) * self.scale
        k = dense_general(x, self.wk)
        v = dense_general(x, self.wv)
        logits = torch.einsum("bihd,bjhd->bijh", q, k)
        if attention_mask is not None:
            logits = logits.masked_fill(attention_mask.permute(0, 2, 3, 1) == 0, float("-inf"))
        weights = self.drop(torch.softmax(logits, dim=-1))
        context = torch.einsum("bijh,bjhd->bihd", weights, v)
        return torch.einsum("bihd,hdm->bim", context, self.wo)
