import torch
from torch import nn, einsum


def exists(val):
    return val is not None


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        dim_head = hidden_dim // num_heads
        self.heads = num_heads
        self.scale = dim_head ** -0.5

        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias = False)
        self.to_kv = nn.Linear(hidden_dim, dim_head * 2, bias = False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias = False)

    def forward(self, x, attention_mask = None):
        b, n, h = *x.shape[:2], self.heads

        # b n (h d) -> b h n d

        q = self.to_q(x).unflatten(-1, (h, -1)).transpose(1, 2)
        k, v = self.to_kv(x).chunk(2, dim = -1)

        sim = einsum('b h i d, b j d -> b h i j', q * self.scale, k)

        if exists(attention_mask):
            sim = sim.masked_fill(~attention_mask.bool(), -torch.finfo(sim.dtype).max)

        attn = sim.softmax(dim = -1)
        out = einsum('b h i j, b j d -> b h i d', attn, v)

        # merge heads

        out = out.reshape(b, n, -1)
        return self.to_out(out)
