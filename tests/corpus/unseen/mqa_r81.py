"""Shazeer's listing, more or less verbatim (einsum, P_q / P_k / P_v / P_o)."""
import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.d = hidden_dim // num_heads
        self.q_mats = nn.ParameterList(
            [nn.Parameter(torch.randn(hidden_dim, self.d) / hidden_dim**0.5) for _ in range(num_heads)]
        )
        self.kv_mat = nn.Parameter(torch.randn(hidden_dim, 2 * self.d) / hidden_dim**0.5)
        self.o_mats = nn.Parameter(torch.randn(num_heads, self.d, hidden_dim) / hidden_dim**0.5)

    def forward(self, x, attention_mask=None):
        P_q = torch.stack(tuple(self.q_mats))
        P_k, P_v = self.kv_mat.tensor_split(2, dim=1)
        q = torch.einsum("bnd,hdk->bhnk", x, P_q)
        k = torch.einsum("bmd,dk->bmk", x, P_k)
        v = torch.einsum("bmd,dv->bmv", x, P_v)
        logits = torch.einsum("bhnk,bmk->bhnm", q, k) * self.d**-0.5
        if attention_mask is not None:
            penalty = torch.zeros_like(attention_mask, dtype=logits.dtype)
            penalty[attention_mask == 0] = -torch.inf
            logits = logits + penalty
        weights = torch.softmax(logits, dim=-1)
        o = torch.einsum("bhnm,bmv->bhnv", weights, v)
        return torch.einsum("bhnv,hvd->bnd", o, self.o_mats)
