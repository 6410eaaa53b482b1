# wrong: mha mask-transposed line 29
import math
import torch
import torch.nn as nn


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, dim, heads, dropout=0.1):
        super().__init__()
        self.heads, self.hd = heads, dim // heads
        self.Wq = nn.Linear(dim, dim)
        self.Wk = nn.Linear(dim, dim)
        self.Wv = nn.Linear(dim, dim)
        self.Wo = nn.Linear(dim, dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, padding_mask=None):
        """
        x: (B, L, D)
        padding_mask: (B, L), 1 for real tokens, 0 for padding
        """
        B, L, D = x.shape
        shape = (B, L, self.heads, self.hd)
        q = self.Wq(x).reshape(shape).transpose(1, 2)
        k = self.Wk(x).reshape(shape).transpose(1, 2)
        v = self.Wv(x).reshape(shape).transpose(1, 2)
        att = q @ k.transpose(2, 3) / math.sqrt(self.hd)
        if padding_mask is not None:
            keep = padding_mask[:, None, :, None]
            att = att.masked_fill(keep == 0, -1e9)
        att = self.drop(att.softmax(dim=-1))
        return self.Wo((att @ v).transpose(1, 2).reshape(B, L, D))
