# right: cross
# Attention croisée écrite sans nn.Linear, sans softmax, sans nn.Dropout.
import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, dim, tetes, dropout=0.1):
        super().__init__()
        self.tetes = tetes
        self.dropout = dropout
        for nom in ("q", "k", "v", "o"):
            self.register_parameter("W" + nom, nn.Parameter(torch.randn(dim, dim) / dim**0.5))
            self.register_parameter("b" + nom, nn.Parameter(torch.zeros(dim)))

    @staticmethod
    def softmax(s):
        s = s - s.amax(dim=-1, keepdim=True)
        e = torch.exp(s)
        return e / e.sum(dim=-1, keepdim=True)

    def forward(self, query, key, value, mask=None):
        q = query @ self.Wq + self.bq
        k = key @ self.Wk + self.bk
        v = value @ self.Wv + self.bv
        d = q.shape[-1] // self.tetes
        sorties = []
        for i in range(self.tetes):
            tranche = slice(i * d, (i + 1) * d)
            s = torch.einsum("bqd,bkd->bqk", q[..., tranche], k[..., tranche]) / d**0.5
            if mask is not None:
                s = s - 50000.0 * (mask == 0).to(s.dtype)
            a = self.softmax(s)
            if self.training and self.dropout > 0:
                garde = torch.empty_like(a).bernoulli_(1 - self.dropout)
                a = a * garde / (1 - self.dropout)
            sorties.append(torch.einsum("bqk,bkd->bqd", a, v[..., tranche]))
        return torch.cat(sorties, dim=-1) @ self.Wo + self.bo
