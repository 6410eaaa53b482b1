import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0, "hidden_dim % num_heads != 0"
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.linear_q = nn.Linear(hidden_dim, hidden_dim)
        self.linear_k = nn.Linear(hidden_dim, hidden_dim)
        self.linear_v = nn.Linear(hidden_dim, hidden_dim)
        self.linear_out = nn.Linear(hidden_dim, hidden_dim)
        self.attn_drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        bsz, seq_len, hidden = query.shape

        def shape(t):
            return t.view(bsz, seq_len, self.num_heads, self.head_dim).transpose(1, 2)

        q = shape(self.linear_q(query))
        k = shape(self.linear_k(key))
        v = shape(self.linear_v(value))

        scores = q @ k.mT * self.head_dim ** -0.5
        if mask is not None:
            scores = scores.masked_fill(mask[:, None] == 0, float("-inf"))
        attn = self.attn_drop(scores.softmax(dim=-1))
        out = (attn @ v).transpose(1, 2).reshape(bsz, seq_len, hidden)
        return self.linear_out(out)
