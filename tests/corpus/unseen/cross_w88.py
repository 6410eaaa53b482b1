import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.nh = num_heads
        self.hs = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.p = nn.Dropout(dropout)

    def fold(self, t):
        # (B, T, D) -> (B * nh, T, hs), so that bmm can be used
        B, T, _ = t.shape
        return t.view(B, T, self.nh, self.hs).transpose(1, 2).reshape(B * self.nh, T, self.hs)

    def unfold(self, t):
        BH, T, _ = t.shape
        return t.view(BH // self.nh, self.nh, T, self.hs).transpose(1, 2).reshape(BH // self.nh, T, -1)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.fold(self.q(query)), self.fold(self.k(key)), self.fold(self.v(value))
        scores = torch.bmm(q, k.transpose(1, 2)).div(self.hs ** 0.5)
        if mask is not None:
            mask = mask.repeat(self.nh, 1, 1)
            scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
        out = torch.bmm(self.p(torch.softmax(scores, -1)), v)
        return self.o(self.unfold(out))
