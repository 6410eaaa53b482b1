# wrong: mha weights-on-keys line 25
import torch
import torch.nn as nn
from einops import rearrange


class MultiHeadAttention(nn.Module):
    """Attention multi-têtes avec einops."""

    def __init__(self, dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)
        self.o = nn.Linear(dim, dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, masque=None):
        q, k, v = (rearrange(f(x), "b t (h d) -> b h t d", h=self.num_heads) for f in (self.q, self.k, self.v))
        s = torch.einsum("bhid,bhjd->bhij", q, k) / q.shape[-1] ** 0.5
        if masque is not None:
            s = s.masked_fill(masque == 0, float("-inf"))
        a = self.dropout(s.softmax(dim=-1))
        y = torch.einsum("bhij,bhjd->bhid", a, k)
        return self.o(rearrange(y, "b h t d -> b t (h d)"))
