import torch
from einops import rearrange
from torch import nn


def exists(v):
    return v is not None


def max_neg_value(t):
    return -torch.finfo(t.dtype).max


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout = 0.1):
        super().__init__()
        dim_head = hidden_dim // num_heads
        self.heads = num_heads
        self.scale = dim_head ** -0.5

        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias = False)
        self.to_kv = nn.Linear(hidden_dim, hidden_dim * 2, bias = False)
        self.attn_drop = nn.Dropout(dropout)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask = None):
        b, n, _, h = *x.shape, self.heads

        q = self.to_q(x)
        k, v = self.to_kv(x).chunk(2, dim = -1)
        q, k, v = map(lambda t: rearrange(t, 'b n (h d) -> (b h) n d', h = h), (q, k, v))

        sim = torch.einsum('b i d, b j d -> b i j', q, k) * self.scale

        if exists(attention_mask):
            mask = attention_mask.bool().expand(b, h, n, n)
            mask = rearrange(mask, 'b h i j -> (h b) i j')
            sim = sim.masked_fill(~mask, max_neg_value(sim))

        attn = self.attn_drop(sim.softmax(dim = -1))

        out = torch.einsum('b i j, b j d -> b i d', attn, v)
        out = rearrange(out, '(b h) n d -> b n (h d)', h = h)
        return self.to_out(out)
