import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        k = d // h
        self.P_q = nn.Parameter(torch.randn(h, d, k) * d**-0.5)
        self.P_k = nn.Parameter(torch.randn(d, k) * d**-0.5)
        self.P_v = nn.Parameter(torch.randn(d, k) * d**-0.5)
        self.P_o = nn.Parameter(torch.randn(h, d, k) * d**-0.5)

    def forward(self, X, mask=None):
        Q = torch.einsum("bnd,hdk->bhnk", X, self.P_q)
        K = torch.einsum("bmd,dk->bmk", X, self.P_k)
        V = torch.einsum("bmd,dv->bmv", X, self.P_v)
        logits = torch.einsum("bhnk,bmk->bhnm", Q, K) / Q.shape[-1] ** 0.5
        if mask is not None:
            logits = logits.masked_fill(mask == 0, torch.finfo(logits.dtype).min)
        O = torch.einsum("bhnm,bmv->bhnv", logits.softmax(-1), V)
        return torch.einsum("bhnv,hdv->bnd", O, self.P_o)
