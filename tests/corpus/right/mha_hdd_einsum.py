# right: mha
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """weights keep their head axis: (heads, model, per_head); Shazeer's notation"""

    def __init__(self, d_model: int, h: int, dropout: float = 0.1):
        super().__init__()
        k = d_model // h
        self.wq = nn.Parameter(torch.randn(h, d_model, k) / d_model**0.5)
        self.wk = nn.Parameter(torch.randn(h, d_model, k) / d_model**0.5)
        self.wv = nn.Parameter(torch.randn(h, d_model, k) / d_model**0.5)
        self.wo = nn.Parameter(torch.randn(h, k, d_model) / d_model**0.5)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        Q = torch.einsum("bnd,hdk->bhnk", x, self.wq)
        K = torch.einsum("bmd,hdk->bhmk", x, self.wk)
        V = torch.einsum("bmd,hdv->bhmv", x, self.wv)
        logits = torch.einsum("bhnk,bhmk->bhnm", Q, K) * K.shape[-1] ** -0.5
        if attention_mask is not None:
            logits = torch.where(attention_mask != 0, logits, torch.full_like(logits, -torch.inf))
        weights = self.drop(torch.softmax(logits, dim=-1))
        O = torch.einsum("bhnm,bhmv->bhnv", weights, V)
        return torch.einsum("bhnv,hvd->bnd", O, self.wo)
