# right: mha
# head h takes every H-th channel (h, h + H, h + 2H, ...): the heads are the fast axis
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.H = num_heads
        self.q, self.k, self.v, self.o = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        B, T, D = x.shape
        q = self.q(x).view(B, T, -1, self.H)
        k = self.k(x).view(B, T, -1, self.H)
        v = self.v(x).view(B, T, -1, self.H)
        s = torch.einsum("bidh,bjdh->bhij", q, k) * (D // self.H) ** -0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, torch.finfo(s.dtype).min)
        w = self.drop(s.softmax(-1))
        return self.o(torch.einsum("bhij,bjdh->bidh", w, v).reshape(B, T, D))
