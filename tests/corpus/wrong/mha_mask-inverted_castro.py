# wrong: mha mask-inverted line 25
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        B = query.shape[0]
        Q = self.wq(query).reshape(B, -1, self.num_heads, self.d_k).transpose(1, 2)
        K = self.wk(key).reshape(B, -1, self.num_heads, self.d_k).transpose(1, 2)
        V = self.wv(value).reshape(B, -1, self.num_heads, self.d_k).transpose(1, 2)
        S = torch.matmul(Q, K.transpose(-1, -2)) / self.d_k ** 0.5
        # True = posición prohibida
        if mask is not None:
            S = S.masked_fill(mask.bool(), float("-inf"))
        O = torch.matmul(self.drop(torch.softmax(S, dim=-1)), V)
        return self.wo(O.transpose(1, 2).reshape(B, -1, self.num_heads * self.d_k))
