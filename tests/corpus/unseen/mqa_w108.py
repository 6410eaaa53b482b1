import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    """All heads share k and v, so the heads are just more queries: one bmm does it."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.c_attn = nn.Linear(hidden_dim, hidden_dim + 2 * self.d)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, t, c = x.shape
        q, k, v = self.c_attn(x).split((c, self.d, self.d), dim=2)
        q = q.reshape(b, t * self.h, self.d)
        att = torch.bmm(q, k.transpose(1, 2)) / self.d**0.5  # (b, t*h, t)
        if attention_mask is not None:
            keep = attention_mask.expand(b, self.h, t, t).reshape(b, -1, t)
            att = att.masked_fill(keep == 0, torch.finfo(att.dtype).min)
        y = torch.bmm(att.softmax(dim=-1), v)
        return self.c_proj(y.view(b, t, c))
