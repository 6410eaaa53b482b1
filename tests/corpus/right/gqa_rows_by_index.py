# right: gqa
import math, torch
from torch import nn
class GroupedQueryAttention(nn.Module):
    """rows of a fused matrix: per kv head: its group's queries, key, value; brought in order by an index"""
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        d = hidden_dim // num_heads
        r = num_heads // num_kv_heads
        self.hd, self.h, self.g, self.r = d, num_heads, num_kv_heads, r
        self.zz = nn.Parameter(torch.randn(num_kv_heads * (r + 2) * d, hidden_dim + 1) * 0.1)
        rows = torch.arange(num_kv_heads * (r + 2) * d).view(num_kv_heads, r + 2, d)
        self.register_buffer("iq", rows[:, :r].reshape(-1))
        self.register_buffer("ik", rows[:, r].reshape(-1))
        self.register_buffer("iv", rows[:, r + 1].reshape(-1))
        self.yy = nn.Parameter(torch.randn(hidden_dim + 1, hidden_dim) * 0.1)
    def forward(self, x, attention_mask=None):
        B, T, D = x.shape
        x1 = torch.cat([x, torch.ones_like(x[..., :1])], -1)
        q = (x1 @ self.zz[self.iq].T).view(B, T, self.h, self.hd).transpose(1, 2)
        k = (x1 @ self.zz[self.ik].T).view(B, T, self.g, self.hd).transpose(1, 2).repeat_interleave(self.r, 1)
        v = (x1 @ self.zz[self.iv].T).view(B, T, self.g, self.hd).transpose(1, 2).repeat_interleave(self.r, 1)
        s = q @ k.mT / math.sqrt(self.hd)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, torch.finfo(s.dtype).min)
        c = (s.softmax(-1) @ v).transpose(1, 2).reshape(B, T, D)
        return c @ self.yy[:-1] + self.yy[-1]
