# wrong: mha mask-fill-zero line 19
import torch as t
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, D, H, dropout=0.1):
        super().__init__()
        self.H = H
        self.W = nn.Linear(D, 3 * D, bias=False)
        self.O = nn.Linear(D, D, bias=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        B, T, D = x.shape
        q, k, v = self.W(x).view(B, T, 3, self.H, D // self.H).unbind(2)
        s = t.einsum("bqhd,bkhd->bhqk", q, k) * (D // self.H) ** -0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, 0)
        w = self.drop(s.softmax(-1))
        return self.O(t.einsum("bhqk,bkhd->bqhd", w, v).reshape(B, T, D))
