import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.heads, self.kv = num_heads, num_kv_heads
        self.dim = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, num_heads * self.dim)
        self.k = nn.Linear(hidden_dim, num_kv_heads * self.dim)
        self.v = nn.Linear(hidden_dim, num_kv_heads * self.dim)
        self.o = nn.Linear(num_heads * self.dim, hidden_dim)
        index = torch.arange(num_heads) // (num_heads // num_kv_heads)
        self.register_buffer("owner", index, persistent=False)

    def forward(self, x, attention_mask=None):
        b, t, _ = x.shape
        q = self.q(x).view(b, t, self.heads, self.dim)
        k = self.k(x).view(b, t, self.kv, self.dim)[:, :, self.owner]
        v = self.v(x).view(b, t, self.kv, self.dim)[:, :, self.owner]
        w = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.dim ** 0.5
        if attention_mask is not None:
            w = w.masked_fill(attention_mask.logical_not(), torch.finfo(w.dtype).min)
        return self.o(torch.einsum("bhqk,bkhd->bqhd", w.softmax(3), v).reshape(b, t, -1))
