# wrong: causal causal-not-sliced line 18 (error)
import torch
from einops import rearrange
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, dim, heads, context_length):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.to_out = nn.Linear(dim, dim)
        self.register_buffer("causal", torch.ones(context_length, context_length).triu(1).bool())

    def forward(self, x):
        q, k, v = rearrange(self.to_qkv(x), "b n (c h d) -> c b h n d", c=3, h=self.heads)
        sim = torch.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
        sim.masked_fill_(self.causal, float("-inf"))
        out = torch.einsum("bhij,bhjd->bhid", sim.softmax(dim=-1), v)
        return self.to_out(rearrange(out, "b h n d -> b n (h d)"))
