# wrong: gqa mask-wrong-heads line 26
import math
import torch
from torch import nn
import torch.nn.functional as F


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.h, self.g, self.d = num_heads, num_kv_heads, hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, self.g * self.d)
        self.v = nn.Linear(hidden_dim, self.g * self.d)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, n, c = x.shape
        r = self.h // self.g
        q = self.q(x).view(b, n, self.g, r, self.d).permute(0, 2, 3, 1, 4)
        k = self.k(x).view(b, n, self.g, 1, self.d).permute(0, 2, 3, 1, 4)
        v = self.v(x).view(b, n, self.g, 1, self.d).permute(0, 2, 3, 1, 4)
        s = q @ k.mT / math.sqrt(self.d)
        if attention_mask is not None:
            # one plane a group
            m = attention_mask.expand(b, self.h, n, n)[:, : self.g].unsqueeze(2)
            s = s.masked_fill(m == 0, torch.finfo(s.dtype).min)
        out = s.softmax(-1) @ v
        return self.o(out.permute(0, 3, 1, 2, 4).reshape(b, n, c))
