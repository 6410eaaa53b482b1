import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    """One key, one value: fold the heads into the query's rows and it is single-head attention."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.fused = nn.Linear(hidden_dim, hidden_dim + 2 * self.d, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, t, c = x.shape
        q, k, v = torch.split(self.fused(x), [c, self.d, self.d], dim=-1)
        rows = q.reshape(b, t * self.h, self.d)
        s = rows @ k.transpose(1, 2) / self.d**0.5
        if attention_mask is not None:
            m = attention_mask.expand(b, self.h, t, t).reshape(b, self.h * t, t)
            s = s.masked_fill(m == 0, torch.finfo(s.dtype).min)
        return self.out((s.softmax(dim=-1) @ v).reshape(b, t, c))
