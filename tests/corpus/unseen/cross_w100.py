import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.H, self.d = num_heads, hidden_dim // num_heads
        self.Wq, self.Wk, self.Wv, self.Wo = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        fold = lambda t: t.unflatten(2, (self.H, self.d)).transpose(1, 2).flatten(0, 1)
        q, k, v = fold(self.Wq(query)), fold(self.Wk(key)), fold(self.Wv(value))
        s = torch.bmm(q, k.mT) * self.d**-0.5
        if mask is not None:
            s = s.masked_fill(mask.repeat(self.H, 1, 1) == 0, torch.finfo(s.dtype).min)
        y = torch.bmm(self.drop(s.softmax(2)), v)
        return self.Wo(y.unflatten(0, (-1, self.H)).transpose(1, 2).flatten(2))
