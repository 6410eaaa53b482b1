# wrong: gqa output-projection-missing line 27
import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.h = num_heads
        self.g = num_kv_heads
        self.d = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, self.g * self.d)
        self.value = nn.Linear(hidden_dim, self.g * self.d)

    def forward(self, x, mask=None):
        b, n, e = x.shape
        r = self.h // self.g
        q = self.query(x).view(b, n, self.g, r, self.d)
        k = self.key(x).view(b, n, self.g, self.d)
        v = self.value(x).view(b, n, self.g, self.d)
        s = torch.einsum("bigrd,bjgd->bgrij", q, k).reshape(b, self.h, n, n) / self.d**0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, torch.finfo(s.dtype).min)
        w = s.softmax(-1).view(b, self.g, r, n, n)
        out = torch.einsum("bgrij,bjgd->bigrd", w, v)
        return out.reshape(b, n, e)
