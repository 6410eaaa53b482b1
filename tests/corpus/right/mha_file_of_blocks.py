# right: mha remarks: fill-overflows-half
"""A whole encoder; only MultiHeadAttention is the exercise."""
import math

import torch
from torch import nn


class PositionWiseFeedForward(nn.Module):
    def __init__(self, d_model, hidden, drop_prob=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, hidden)
        self.linear2 = nn.Linear(hidden, d_model)
        self.dropout = nn.Dropout(drop_prob)

    def forward(self, x):
        return self.linear2(self.dropout(torch.relu(self.linear1(x))))


class ScaleDotProductAttention(nn.Module):
    def __init__(self, drop_prob=0.1):
        super().__init__()
        self.softmax = nn.Softmax(dim=-1)
        self.dropout = nn.Dropout(drop_prob)

    def forward(self, q, k, v, mask=None):
        batch_size, head, length, d_tensor = k.size()
        score = (q @ k.transpose(2, 3)) / math.sqrt(d_tensor)
        if mask is not None:
            score = score.masked_fill(mask == 0, -1e5)
        score = self.dropout(self.softmax(score))
        return score @ v, score


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_head, drop_prob=0.1):
        super().__init__()
        self.n_head = n_head
        self.attention = ScaleDotProductAttention(drop_prob)
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_concat = nn.Linear(d_model, d_model)

    def forward(self, q, k, v, mask=None):
        q, k, v = self.w_q(q), self.w_k(k), self.w_v(v)
        q, k, v = self.split(q), self.split(k), self.split(v)
        out, _ = self.attention(q, k, v, mask=mask)
        return self.w_concat(self.concat(out))

    def split(self, tensor):
        batch_size, length, d_model = tensor.size()
        return tensor.view(batch_size, length, self.n_head, d_model // self.n_head).transpose(1, 2)

    def concat(self, tensor):
        batch_size, head, length, d_tensor = tensor.size()
        return tensor.transpose(1, 2).contiguous().view(batch_size, length, head * d_tensor)


class EncoderLayer(nn.Module):
    def __init__(self, d_model, ffn_hidden, n_head, drop_prob=0.1):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_head, drop_prob)
        self.norm1 = nn.LayerNorm(d_model)
        self.ffn = PositionWiseFeedForward(d_model, ffn_hidden, drop_prob)
        self.norm2 = nn.LayerNorm(d_model)

    def forward(self, x, src_mask=None):
        x = self.norm1(x + self.attention(q=x, k=x, v=x, mask=src_mask))
        return self.norm2(x + self.ffn(x))


if __name__ == "__main__":
    print(EncoderLayer(16, 32, 4)(torch.randn(2, 5, 16)).shape)
