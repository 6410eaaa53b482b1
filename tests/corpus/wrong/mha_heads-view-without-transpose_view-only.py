# wrong: mha heads-view-without-transpose line 14
import torch
import torch.nn as nn


class Base(nn.Module):
    def __init__(self, dim, n_heads):
        super().__init__()
        self.dim = dim
        self.n_heads = n_heads
        self.d_head = dim // n_heads

    def to_heads(self, z):
        return z.view(z.size(0), self.n_heads, -1, self.d_head)

    def from_heads(self, z):
        return z.transpose(1, 2).reshape(z.size(0), -1, self.dim)


class MultiHeadAttention(Base):
    def __init__(self, dim, n_heads, dropout=0.1):
        super().__init__(dim, n_heads)
        self.lin = nn.ModuleDict({n: nn.Linear(dim, dim) for n in "qkvo"})
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = [self.to_heads(self.lin[n](x)) for n in "qkv"]
        s = torch.einsum("bhid,bhjd->bhij", q, k) / self.d_head ** 0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, -1e9)
        p = self.dropout(torch.softmax(s, -1))
        return self.lin["o"](self.from_heads(torch.einsum("bhij,bhjd->bhid", p, v)))
