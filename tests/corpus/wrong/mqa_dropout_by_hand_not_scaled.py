# wrong: mqa dropout-rate-wrong line 23
import torch
import torch.nn as nn
class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, self.d)
        self.v = nn.Linear(hidden_dim, self.d)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.p = dropout
    def forward(self, x, attention_mask=None):
        b, t, c = x.shape
        q = self.q(x).view(b, t, self.h, self.d).transpose(1, 2)
        k = self.k(x)[:, None]
        v = self.v(x)[:, None]
        s = q @ k.mT / self.d ** 0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, float("-inf"))
        w = s.softmax(-1)
        if self.training:
            w = w * (torch.rand_like(w) > self.p).to(w.dtype)
        return self.o((w @ v).transpose(1, 2).reshape(b, t, c))
