# wrong: cross values-from-keys line 20
import torch
import torch.nn as nn


class MultiHeadCrossAttention(nn.Module):
    def __init__(self, dim, num_heads, dropout=0.1):
        super().__init__()
        self.h, self.d = num_heads, dim // num_heads
        self.w_q = nn.Linear(dim, dim)
        self.w_k = nn.Linear(dim, dim)
        self.w_v = nn.Linear(dim, dim)
        self.w_o = nn.Linear(dim, dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        heads = lambda lin, t: lin(t).reshape(t.size(0), t.size(1), self.h, self.d).transpose(1, 2)
        Q = heads(self.w_q, query)
        K = heads(self.w_k, key)
        V = heads(self.w_k, value)
        E = Q @ K.mT * self.d ** -0.5
        if mask is not None:
            E = E.masked_fill(mask.unsqueeze(1) == 0, torch.finfo(E.dtype).min)
        A = self.drop(torch.softmax(E, -1))
        return self.w_o((A @ V).transpose(1, 2).flatten(-2))
