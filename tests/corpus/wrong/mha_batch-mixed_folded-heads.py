# wrong: mha batch-mixed line 23
import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads, dropout=0.1, bias=False):
        super().__init__()
        self.num_heads = num_heads
        self.dropout = nn.Dropout(dropout)
        self.W_q = nn.Linear(num_hiddens, num_hiddens, bias=bias)
        self.W_k = nn.Linear(num_hiddens, num_hiddens, bias=bias)
        self.W_v = nn.Linear(num_hiddens, num_hiddens, bias=bias)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=bias)

    def transpose_qkv(self, X):
        X = X.reshape(X.shape[0], X.shape[1], self.num_heads, -1)
        X = X.permute(0, 2, 1, 3)
        return X.reshape(-1, X.shape[2], X.shape[3])

    def transpose_output(self, X):
        X = X.reshape(self.num_heads, -1, X.shape[1], X.shape[2]).permute(1, 2, 0, 3)
        return X.reshape(X.shape[0], X.shape[1], -1)

    def forward(self, x, attention_mask=None):
        # (batch * heads, len, head_dim)
        q, k, v = map(self.transpose_qkv, (self.W_q(x), self.W_k(x), self.W_v(x)))
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.shape[-1])
        if attention_mask is not None:
            n, t = x.shape[0], x.shape[1]
            m = attention_mask.expand(n, self.num_heads, t, t)
            scores = scores.masked_fill(m.reshape(-1, t, t) == 0, -1e6)
        attn = nn.functional.softmax(scores, dim=-1)
        return self.W_o(self.transpose_output(torch.bmm(self.dropout(attn), v)))
