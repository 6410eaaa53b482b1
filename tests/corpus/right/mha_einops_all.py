# right: mha remarks: nan-on-empty-row
import torch
from einops import einsum, rearrange
from torch import nn


class MHSA(nn.Module):
    def __init__(self, dim, n_heads, p=0.1):
        super().__init__()
        self.n_heads = n_heads
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim, bias=False)
        self.v = nn.Linear(dim, dim)
        self.o = nn.Linear(dim, dim)
        self.p = nn.Dropout(p)

    def forward(self, x, mask=None):
        q, k, v = (rearrange(f(x), "b t (h d) -> b h t d", h=self.n_heads) for f in (self.q, self.k, self.v))
        s = einsum(q, k, "b h q d, b h k d -> b h q k") * q.shape[-1] ** -0.5
        if mask is not None:
            s = s.masked_fill(mask.eq(0), -torch.inf)
        y = einsum(self.p(s.softmax(-1)), v, "b h q k, b h k d -> b h q d")
        return self.o(rearrange(y, "b h t d -> b t (h d)"))
