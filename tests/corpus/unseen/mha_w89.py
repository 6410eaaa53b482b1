import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.d_model = hidden_dim
        self.h = num_heads
        self.d_k = hidden_dim // num_heads
        self.w_q = nn.Linear(hidden_dim, hidden_dim)
        self.w_k = nn.Linear(hidden_dim, hidden_dim)
        self.w_v = nn.Linear(hidden_dim, hidden_dim)
        self.w_o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def split_heads(self, t):
        b, n, _ = t.shape
        return t.view(b, n, self.h, self.d_k).transpose(1, 2)

    def forward(self, x, attention_mask=None):
        b, n, _ = x.shape
        q = self.split_heads(self.w_q(x))
        k = self.split_heads(self.w_k(x))
        v = self.split_heads(self.w_v(x))

        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_model)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
        attn = self.dropout(F.softmax(scores, dim=-1))

        out = torch.matmul(attn, v)                     # (b, h, n, d_k)
        out = out.transpose(1, 2).contiguous().view(b, n, self.d_model)
        return self.w_o(out)
