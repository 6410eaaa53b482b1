import math
import torch
import torch.nn as nn


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.n1 = nn.LayerNorm(hidden_dim)
        self.n2 = nn.LayerNorm(hidden_dim)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.dn = nn.Linear(4 * hidden_dim, hidden_dim)
        self.act = nn.GELU()

    def attn(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, self.d).permute(2, 0, 3, 1, 4)
        s = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        m = torch.ones(t, t, device=x.device, dtype=torch.bool).triu(1)
        p = s.masked_fill(m, float("-inf")).softmax(-1)
        return self.o((p @ v).transpose(1, 2).reshape(b, t, c))

    def forward(self, x):
        a = x + self.attn(self.n1(x))
        return x + self.dn(self.act(self.up(self.n2(a))))
