# right: mqa
from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        h, d = num_heads, hidden_dim
        k = v = hidden_dim // num_heads
        s = d**-0.5
        self.P_q = nn.Parameter(s * torch.randn(h, d, k))
        self.P_k = nn.Parameter(s * torch.randn(d, k))
        self.P_v = nn.Parameter(s * torch.randn(d, v))
        self.P_o = nn.Parameter(s * torch.randn(h, d, v))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        Q = torch.einsum("bnd,hdk->bhnk", x, self.P_q)
        K = torch.einsum("bmd,dk->bmk", x, self.P_k)
        V = torch.einsum("bmd,dv->bmv", x, self.P_v)
        logits = torch.einsum("bhnk,bmk->bhnm", Q, K) / K.shape[-1] ** 0.5
        if attention_mask is not None:
            logits = logits.masked_fill(~attention_mask.bool(), -torch.inf)
        weights = torch.softmax(logits, -1)
        O = torch.einsum("bhnm,bmv->bhnv", weights, V)
        return torch.einsum("bhnv,hdv->bnd", O, self.P_o)
