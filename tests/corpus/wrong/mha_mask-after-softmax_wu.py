# wrong: mha mask-after-softmax line 22
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        b, t, _ = x.shape
        q, k, v = (f(x).view(b, t, self.h, self.d).transpose(1, 2) for f in (self.q, self.k, self.v))
        p = torch.softmax(q @ k.mT / self.d ** 0.5, dim=-1)
        if attention_mask is not None:
            p = p * (attention_mask != 0).to(p.dtype)
        p = self.dropout(p)
        return self.o((p @ v).transpose(1, 2).reshape(b, t, -1))
