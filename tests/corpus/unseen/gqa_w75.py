import torch, math
from torch import nn

class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.h, self.kv = num_heads, num_kv_heads
        self.d = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, self.h * self.d)
        self.k = nn.Linear(hidden_dim, self.kv * self.d)
        self.v = nn.Linear(hidden_dim, self.kv * self.d)
        self.o = nn.Linear(self.h * self.d, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, T, C = x.shape
        q = self.q(x).view(B, T, self.h, self.d).transpose(1, 2)
        k = self.k(x).view(B, T, self.kv, self.d).transpose(1, 2)
        v = self.v(x).view(B, T, self.kv, self.d).transpose(1, 2)
        r = self.h // self.kv
        k, v = k.repeat_interleave(r, 1), v.repeat_interleave(r, 1)
        s = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, 1e-9)
        p = s.softmax(-1)
        y = (p @ v).transpose(1, 2).reshape(B, T, C)
        return self.o(y)
