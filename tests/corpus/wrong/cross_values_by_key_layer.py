# wrong: cross values-from-keys line 21
import torch
from einops import rearrange
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, dim, heads=8):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_k = nn.Linear(dim, dim, bias=False)
        self.to_v = nn.Linear(dim, dim, bias=False)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x, context, mask=None):
        split = lambda t: rearrange(t, "b n (h d) -> b h n d", h=self.heads)
        q = split(self.to_q(x))
        k = split(self.to_k(context))
        v = split(self.to_k(context))
        sim = torch.einsum("bhid,bhjd->bhij", q, k) * self.scale
        if mask is not None:
            sim = sim.masked_fill(mask.unsqueeze(1) == 0, -torch.finfo(sim.dtype).max)
        out = torch.einsum("bhij,bhjd->bhid", sim.softmax(-1), v)
        return self.to_out(rearrange(out, "b h n d -> b n (h d)"))
