import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.n, self.d = num_heads, hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.do = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        B, T, C = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.n, self.d).permute(2, 0, 3, 1, 4)
        a = q @ k.transpose(-1, -2) * self.d ** -0.5  # B n T T
        if attention_mask is not None:
            a = a.masked_fill(attention_mask == 0, -torch.inf)
        y = self.do(a.softmax(-1)) @ v  # B n T d
        return self.o(y.reshape(B, T, C))
