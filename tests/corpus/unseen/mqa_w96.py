import torch
import torch.nn as nn
from einops import rearrange


class MultiQueryAttention(nn.Module):

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        dim_head = hidden_dim // num_heads
        self.heads = num_heads
        self.scale = dim_head ** -0.5
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = self.to_v = nn.Linear(hidden_dim, dim_head, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        q = rearrange(self.to_q(x), "b n (h d) -> b h n d", h=self.heads)
        k = self.to_k(x)
        v = self.to_v(x)

        sim = torch.einsum("b h i d, b j d -> b h i j", q * self.scale, k)
        if attention_mask is not None:
            sim = sim.masked_fill(attention_mask == 0, torch.finfo(sim.dtype).min)
        attn = sim.softmax(dim=-1)

        out = torch.einsum("b h i j, b j d -> b h i d", attn, v)
        return self.to_out(rearrange(out, "b h n d -> b n (h d)"))
