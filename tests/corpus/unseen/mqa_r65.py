import torch
from torch import einsum, nn

# helper functions


def exists(val):
    return val is not None


def max_neg_value(t):
    return -torch.finfo(t.dtype).max


def split_heads(t, h):
    # rearrange(t, 'b n (h d) -> b h n d', h = h)
    return t.unflatten(-1, (h, -1)).movedim(-2, 1)


def merge_heads(t):
    # rearrange(t, 'b h n d -> b n (h d)')
    return t.movedim(1, -2).flatten(-2)


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        dim_head = hidden_dim // num_heads
        self.heads = num_heads
        self.scale = dim_head ** -0.5
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, dim_head * 2, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        q = split_heads(self.to_q(x), self.heads) * self.scale
        k, v = self.to_kv(x).chunk(2, dim=-1)

        sim = einsum('b h i d, b j d -> b h i j', q, k)

        if exists(attention_mask):
            sim = sim.masked_fill(~attention_mask.bool(), max_neg_value(sim))

        attn = sim.softmax(dim=-1)
        out = einsum('b h i j, b j d -> b h i d', attn, v)
        return self.to_out(merge_heads(out))
