# wrong: mha heads-merge-wrong-axes line 24
import math

import torch
from torch import nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads, dropout, bias=False):
        super().__init__()
        self.num_heads = num_heads
        self.dropout = nn.Dropout(dropout)
        self.W_q = nn.Linear(num_hiddens, num_hiddens, bias=bias)
        self.W_k = nn.Linear(num_hiddens, num_hiddens, bias=bias)
        self.W_v = nn.Linear(num_hiddens, num_hiddens, bias=bias)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=bias)

    def split(self, X):
        return X.reshape(X.shape[0], X.shape[1], self.num_heads, -1).permute(0, 2, 1, 3)

    def merge(self, X):
        batch, heads, length, width = X.shape
        return X.permute(0, 1, 3, 2).reshape(batch, length, heads * width)

    def forward(self, X, mask=None):
        Q, K, V = self.split(self.W_q(X)), self.split(self.W_k(X)), self.split(self.W_v(X))
        S = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        if mask is not None:
            S = S.masked_fill(mask == 0, -1e6)
        return self.W_o(self.merge(self.dropout(F.softmax(S, dim=-1)) @ V))
