# attn-kata: mha
# bmm version, heads folded in the batch axis like the original TF tutorial code
import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.h = num_heads
        self.dk = hidden_dim // num_heads
        self.Q = nn.Linear(hidden_dim, hidden_dim)
        self.K = nn.Linear(hidden_dim, hidden_dim)
        self.V = nn.Linear(hidden_dim, hidden_dim)
        self.O = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def fold(self, t):
        # (N, T, C) -> (h*N, T, C/h)
        return torch.cat(t.split(self.dk, dim=2), dim=0)

    def unfold(self, t):
        # (h*N, T, C/h) -> (N, T, C)
        return torch.cat(t.chunk(self.h, dim=0), dim=2)

    def forward(self, x, attention_mask=None):
        N, T, _ = x.shape
        q, k, v = map(self.fold, (self.Q(x), self.K(x), self.V(x)))
        s = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.dk)
        if attention_mask is not None:
            m = attention_mask.expand(N, self.h, T, T)
            m = m.reshape(N * self.h, T, T)
            s = s.masked_fill(m == 0, torch.finfo(s.dtype).min)
        w = self.drop(torch.softmax(s, dim=-1))
        return self.O(self.unfold(torch.bmm(w, v)))
