# wrong: mha dtype-hardcoded line 21
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        B, T, D = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        s = q @ k.transpose(-2, -1) / (D // self.num_heads) ** 0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, float("-inf"))
        w = self.dropout(s.softmax(-1))
        ctx = torch.zeros(B, self.num_heads, T, D // self.num_heads, dtype=torch.float32).to(x.device)
        for h in range(self.num_heads):
            ctx[:, h] = torch.bmm(w[:, h], v[:, h])
        return self.o(ctx.transpose(1, 2).reshape(B, T, D))
