import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    """After Shazeer 2019. b batch, n query, m memory, h heads, k/v head width, d model."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        w = hidden_dim // num_heads
        def init(*shape):
            return nn.Parameter(torch.randn(*shape) * hidden_dim ** -0.5)
        self.P_q = init(num_heads, w, hidden_dim)
        self.P_k = init(w, hidden_dim)
        self.P_v = init(w, hidden_dim)
        self.P_o = init(num_heads, w, hidden_dim)

    def forward(self, x, attention_mask=None):
        Q = torch.einsum("bnd,hkd->bhnk", x, self.P_q)
        K = torch.einsum("bmd,kd->bmk", x, self.P_k)
        V = torch.einsum("bmd,vd->bmv", x, self.P_v)
        logits = torch.einsum("bhnk,bmk->bhnm", Q, K) * K.size(-1) ** -0.5
        if attention_mask is not None:
            logits = logits.masked_fill(attention_mask == 0, torch.finfo(logits.dtype).min)
        weights = torch.softmax(logits, dim=-1)
        O = torch.einsum("bhnm,bnv->bhnv", weights, V)
        return torch.einsum("bhnv,hvd->bnd", O, self.P_o)
