# wrong: cross cross-wrong-source line 19
import torch
import torch.nn as nn
from einops import rearrange


class CrossAttention(nn.Module):
    def __init__(self, dim, heads, dropout=0.1):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(dim, dim, bias=False)
        self.k = nn.Linear(dim, dim, bias=False)
        self.v = nn.Linear(dim, dim, bias=False)
        self.o = nn.Linear(dim, dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        # las claves deben venir del contexto, no de los valores
        q, k, v = self.q(query), self.k(value), self.v(value)
        q, k, v = (rearrange(t, "b n (h d) -> b h n d", h=self.heads) for t in (q, k, v))
        s = torch.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
        if mask is not None:
            s = s.masked_fill(rearrange(mask, "b i j -> b 1 i j") == 0, float("-inf"))
        y = torch.einsum("bhij,bhjd->bhid", self.dropout(s.softmax(-1)), v)
        return self.o(rearrange(y, "b h n d -> b n (h d)"))
