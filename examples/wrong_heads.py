# attn-kata: mha
import math

from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.heads = num_heads
        self.depth = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        B, T, D = x.shape
        q = self.q(x).view(B, self.heads, T, self.depth)
        k = self.k(x).view(B, self.heads, T, self.depth)
        v = self.v(x).view(B, self.heads, T, self.depth)

        scores = q @ k.mT / math.sqrt(self.depth)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
        weights = self.drop(scores.softmax(dim=-1))

        context = (weights @ v).transpose(1, 2).reshape(B, T, D)
        return self.o(context)
