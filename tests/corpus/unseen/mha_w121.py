from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        size = hidden_dim // num_heads
        self.dropout = dropout
        self.scale = size ** -0.5
        self.w = nn.ParameterDict({n: nn.Parameter(torch.randn(num_heads, hidden_dim, size) * hidden_dim ** -0.5) for n in "qkv"})
        self.w_out = nn.Parameter(torch.randn(num_heads, size, hidden_dim) * hidden_dim ** -0.5)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = (torch.einsum("bnc,hcd->bhnd", x, self.w[n]) for n in "qkv")
        logits = torch.einsum("bhnd,bhmd->bhnm", q * self.scale, k)
        if attention_mask is not None:
            logits = logits + torch.where(attention_mask.bool(), 0.0, -torch.inf).to(logits.dtype)
        attn = F.dropout(logits.softmax(-1), self.dropout)
        return torch.einsum("bhnm,bhmd,hdc->bnc", attn, v, self.w_out)
