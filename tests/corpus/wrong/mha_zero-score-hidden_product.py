# wrong: mha zero-score-hidden line 21
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        b, t, c = x.shape
        q, k, v = (f(x).view(b, t, self.h, c // self.h).transpose(1, 2) for f in (self.q, self.k, self.v))
        s = q @ k.mT / (c // self.h) ** 0.5
        if attention_mask is not None:
            s = s * attention_mask
            s = torch.where(s != 0, s, float("-inf"))
        a = self.drop(s.softmax(-1))
        y = (a @ v).transpose(1, 2).reshape(b, t, c)
        return self.out(y)
