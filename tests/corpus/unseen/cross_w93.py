import math
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    # 디코더가 인코더를 읽는다
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_size = hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, hidden_dim)
        self.to_v = nn.Linear(hidden_dim, hidden_dim)
        self.to_out = nn.ModuleList([nn.Linear(hidden_dim, hidden_dim), nn.Dropout(0.0)])
        self.drop = nn.Dropout(dropout)

    def head_to_batch_dim(self, t):
        b, n, c = t.shape
        t = t.reshape(b, n, self.num_heads, c // self.num_heads)
        return t.permute(0, 2, 1, 3).reshape(b * self.num_heads, n, c // self.num_heads)

    def batch_to_head_dim(self, t):
        bh, n, c = t.shape
        t = t.reshape(bh // self.num_heads, self.num_heads, n, c)
        return t.permute(0, 2, 1, 3).reshape(bh // self.num_heads, n, c * self.num_heads)

    def forward(self, query, key, value, mask=None):
        encoder_hidden_states = key
        q = self.head_to_batch_dim(self.to_q(query))
        k = self.head_to_batch_dim(self.to_k(encoder_hidden_states))
        v = self.head_to_batch_dim(self.to_v(encoder_hidden_states))
        scores = torch.bmm(q, k.transpose(-1, -2)) / math.sqrt(self.head_size)
        if mask is not None:
            scores = scores.masked_fill(mask.repeat_interleave(self.num_heads, dim=0) == 0, float("-inf"))
        probs = self.drop(scores.softmax(dim=-1))
        out = self.batch_to_head_dim(torch.bmm(probs, v))
        for f in self.to_out:
            out = f(out)
        return out
