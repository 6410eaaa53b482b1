import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    """Shazeer's notation: b batch, n/m positions, h heads, d model, k key and value width."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        d, h, k = hidden_dim, num_heads, hidden_dim // num_heads
        self.P_q = nn.Parameter(torch.randn(h, d, k) * d ** -0.5)
        self.P_k = nn.Parameter(torch.randn(d, k) * d ** -0.5)
        self.P_v = nn.Parameter(torch.randn(d, k) * d ** -0.5)
        self.P_o = nn.Parameter(torch.randn(h * k, d) * d ** -0.5)

    def forward(self, x, attention_mask=None):
        Q = torch.einsum("bnd,hdk->bhnk", x, self.P_q)
        K = torch.einsum("bmd,dk->bmk", x, self.P_k)
        V = torch.einsum("bmd,dk->bmk", x, self.P_v)
        logits = torch.einsum("bhnk,bmk->bhnm", Q, K) / K.shape[-1] ** 0.5
        if attention_mask is not None:
            logits = logits.masked_fill(attention_mask == 0, float("-inf"))
        weights = torch.softmax(logits, dim=-1)
        O = torch.einsum("bhnm,bmk->bnkh", weights, V)
        return O.flatten(2) @ self.P_o
