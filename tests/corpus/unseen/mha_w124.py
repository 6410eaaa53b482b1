import torch
from torch import nn, einsum


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        dim_head = hidden_dim // num_heads
        self.heads = num_heads
        self.scale = (hidden_dim // dim_head) ** -0.5
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, hidden_dim * 2, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.attn_drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = (self.to_q(x), *self.to_kv(x).chunk(2, dim=-1))
        q, k, v = map(lambda t: t.reshape(*t.shape[:2], self.heads, -1).transpose(1, 2), (q, k, v))
        q = q * self.scale
        sim = einsum("b h i d, b h j d -> b h i j", q, k)
        if attention_mask is not None:
            sim.masked_fill_(attention_mask == 0, -torch.finfo(sim.dtype).max)
        attn = self.attn_drop(sim.softmax(dim=-1))
        out = einsum("b h i j, b h j d -> b h i d", attn, v)
        out = out.transpose(1, 2).flatten(start_dim=2)
        return self.to_out(out)
