# Shazeer 2019, appendix code: P_q [h,d,k], P_k [d,k], P_v [d,v], P_o [h,d,v]
import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        h, d, k = num_heads, hidden_dim, hidden_dim // num_heads
        self.P_q = nn.Parameter(torch.randn(h, d, k) * d**-0.5)
        self.P_k = nn.Parameter(torch.randn(d, k) * d**-0.5)
        self.P_v = nn.Parameter(torch.randn(d, k) * d**-0.5)
        self.P_o = nn.Parameter(torch.randn(h, d, k) * d**-0.5)

    def forward(self, x, attention_mask=None):
        X = M = x
        Q = torch.einsum("bnd,hdk->bhnk", X, self.P_q)
        K = torch.einsum("bmd,dk->bmk", M, self.P_k)
        V = torch.einsum("bmd,dv->bmv", M, self.P_v)
        logits = torch.einsum("bhnk,bmk->bhnm", Q, K) / K.shape[-1] ** 0.5
        if attention_mask is not None:
            logits = logits.masked_fill(attention_mask == 0, float("-inf"))
        weights = torch.softmax(logits, -1)
        O = torch.einsum("bhnm,bmv->bhnv", weights, V)
        return torch.einsum("bhnv,hdv->bnd", O, self.P_o)
