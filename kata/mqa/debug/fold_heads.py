import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_kv = nn.Linear(hidden_dim, 2 * self.head_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, t, e = x.shape
        h, d = self.num_heads, self.head_dim
        q = self.to_q(x).view(b, t, h, d).transpose(1, 2).reshape(b, h * t, d)
        k, v = self.to_kv(x).split(d, dim=-1)
        s = torch.bmm(q, k.transpose(1, 2)).view(b, h, t, t) / d**0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, torch.finfo(s.dtype).min)
        y = torch.bmm(s.softmax(-1).view(b, h * t, t), v).view(b, h, t, d)
        return self.to_out(y.transpose(1, 2).reshape(b, t, e))
