# wrong: mha mask-fill-small line 8
import math

from torch import nn


class MultiHeadAttention(nn.Module):
    HIDDEN: float = -1.0

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, self.d).permute(2, 0, 3, 1, 4)
        s = q @ k.mT / math.sqrt(self.d)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, self.HIDDEN)
        y = self.drop(s.softmax(-1)) @ v
        return self.out(y.transpose(1, 2).reshape(b, t, c))
