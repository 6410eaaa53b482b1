# attn-kata: mha
import torch
from torch import nn, einsum
from einops import rearrange


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0, "heads must divide the width"
        self.heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        q, k, v = rearrange(self.to_qkv(x), "b n (c h d) -> c b h n d", c=3, h=self.heads)
        sim = einsum("b h i d, b h j d -> b h i j", q, k) * self.scale

        if attention_mask is not None:
            keep = rearrange(attention_mask.bool()[:, 0], "b i j -> b 1 i j")
            sim = sim.masked_fill(~keep, -torch.inf)

        attn = self.dropout(sim.softmax(dim=-1))
        out = einsum("b h i j, b h j d -> b h i d", attn, v)
        return self.to_out(rearrange(out, "b h n d -> b n (h d)"))
