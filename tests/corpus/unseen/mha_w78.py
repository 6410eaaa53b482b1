# Axes: b batch, n/m query/key position, h head, k per-head feature, d model feature
import torch
from torch import einsum, nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        k = hidden_dim // num_heads
        assert k * num_heads == hidden_dim
        P = lambda *shape: nn.Parameter(torch.randn(*shape) * hidden_dim**-0.5)
        self.Wq, self.Wk, self.Wv = (P(num_heads, hidden_dim, k) for _ in range(3))
        self.Wo = P(num_heads, k, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        d = x.shape[-1]
        q, k, v = (einsum("bnd,hdk->bhnk", x, W) for W in (self.Wq, self.Wk, self.Wv))
        logits = einsum("bhnk,bhmk->bhnm", q, k) * d**-0.5
        if attention_mask is not None:
            logits = logits.masked_fill(attention_mask == 0, float("-inf"))
        p = self.drop(logits.softmax(-1))
        return einsum("bhnm,bhmk,hkd->bnd", p, v, self.Wo)
