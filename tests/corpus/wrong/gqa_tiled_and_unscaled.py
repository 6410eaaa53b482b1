# wrong: gqa scale-missing line 22, kv-heads-tiled line 20
import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.h, self.g, self.d = num_heads, num_kv_heads, hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k = nn.Linear(hidden_dim, self.g * self.d, bias=False)
        self.v = nn.Linear(hidden_dim, self.g * self.d, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        b, t, e = x.shape
        q = self.q(x).view(b, t, self.h, self.d).transpose(1, 2)
        k = self.k(x).view(b, t, self.g, self.d).transpose(1, 2)
        v = self.v(x).view(b, t, self.g, self.d).transpose(1, 2)
        k, v = (torch.cat([z] * (self.h // self.g), dim=1) for z in (k, v))

        s = torch.matmul(q, k.transpose(2, 3))
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, torch.finfo(s.dtype).min)
        out = torch.matmul(s.softmax(-1), v)
        return self.o(out.transpose(1, 2).reshape(b, t, e))
