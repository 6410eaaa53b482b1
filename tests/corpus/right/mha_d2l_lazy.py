# right: mha remarks: fill-overflows-half
import math
import torch
from torch import nn


class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, mask=None):
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e6)
        self.attention_weights = nn.functional.softmax(scores, dim=-1)
        return torch.bmm(self.dropout(self.attention_weights), values)


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads, dropout, bias=False, **kwargs):
        super().__init__()
        self.num_heads = num_heads
        self.attention = DotProductAttention(dropout)
        self.W_q = nn.LazyLinear(num_hiddens, bias=bias)
        self.W_k = nn.LazyLinear(num_hiddens, bias=bias)
        self.W_v = nn.LazyLinear(num_hiddens, bias=bias)
        self.W_o = nn.LazyLinear(num_hiddens, bias=bias)

    def forward(self, queries, keys, values, mask=None):
        queries = self.fold(self.W_q(queries))
        keys = self.fold(self.W_k(keys))
        values = self.fold(self.W_v(values))
        if mask is not None:
            # (batch, heads or 1, queries or 1, keys) -> (batch * heads, queries or 1, keys)
            if mask.shape[1] == 1:
                mask = torch.repeat_interleave(mask, repeats=self.num_heads, dim=1)
            mask = mask.flatten(0, 1)
        output = self.attention(queries, keys, values, mask)
        return self.W_o(self.unfold(output))

    def fold(self, X):
        X = X.reshape(X.shape[0], X.shape[1], self.num_heads, -1)
        X = X.permute(0, 2, 1, 3)
        return X.reshape(-1, X.shape[2], X.shape[3])

    def unfold(self, X):
        X = X.reshape(-1, self.num_heads, X.shape[1], X.shape[2])
        X = X.permute(0, 2, 1, 3)
        return X.reshape(X.shape[0], X.shape[1], -1)
