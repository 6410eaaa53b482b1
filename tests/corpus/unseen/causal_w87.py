import torch
from torch import nn
from einops import rearrange


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int):
        super().__init__()
        self.heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        future = torch.ones(block_size, block_size, dtype=torch.bool).triu()
        self.register_buffer("future", future, persistent=False)

    def forward(self, x):
        n = x.shape[1]
        q, k, v = rearrange(self.qkv(x), "b n (three h d) -> three b h n d", three=3, h=self.heads)
        sim = torch.einsum("b h i d, b h j d -> b h i j", q, k) * self.scale
        sim = sim.masked_fill(self.future[:n, :n], torch.finfo(sim.dtype).min)
        out = torch.einsum("b h i j, b h j d -> b h i d", sim.softmax(dim=-1), v)
        return self.proj(rearrange(out, "b h n d -> b n (h d)"))
