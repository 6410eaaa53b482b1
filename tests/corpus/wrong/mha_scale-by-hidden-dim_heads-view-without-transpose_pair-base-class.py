# wrong: mha scale-by-hidden-dim line 10, heads-view-without-transpose line 28
import torch
import torch.nn as nn


class AttentionBase(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.width, self.heads = width, heads
        self.factor = width ** 0.5

    def core(self, q, k, v, mask):
        s = q @ k.mT / self.factor
        if mask is not None:
            s = s.masked_fill(mask == 0, float("-inf"))
        return s.softmax(-1) @ v


class MultiHeadAttention(AttentionBase):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__(hidden_dim, num_heads)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, t, c = x.shape
        parts = self.qkv(x).chunk(3, dim=-1)
        q, k, v = [p.reshape(b, self.heads, t, c // self.heads) for p in parts]
        y = self.core(q, k, v, attention_mask)
        return self.out(y.transpose(1, 2).reshape(b, t, c))
