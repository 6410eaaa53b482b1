import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.sizes = [hidden_dim, self.d, self.d]
        self.qkv = nn.Linear(hidden_dim, sum(self.sizes), bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).split(self.sizes, -1)
        q = q.unflatten(-1, (self.h, self.d))
        s = torch.einsum("bthd,bsd->bths", q, k) * self.d ** -0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask.transpose(1, 2) == 0, torch.finfo(s.dtype).min)
        p = s.softmax(dim=-2)
        y = torch.einsum("bths,bsd->bthd", p, v)
        return self.out(y.flatten(2))
