import math, torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.dk = hidden_dim // num_heads
        self.linears = nn.ModuleList([nn.Linear(hidden_dim, hidden_dim) for _ in range(4)])
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, query, key, value, mask=None):
        "annotated-transformer"
        if mask is not None:
            mask = mask.unsqueeze(1)
        nbatches = query.size(0)
        T = key.size(1)
        q = self.linears[0](query).view(nbatches, T, self.h, self.dk).transpose(1, 2)
        k = self.linears[1](key).view(nbatches, T, self.h, self.dk).transpose(1, 2)
        v = self.linears[2](value).view(nbatches, T, self.h, self.dk).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.dk)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        p_attn = self.dropout(scores.softmax(dim=-1))
        x = torch.matmul(p_attn, v).transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.dk)
        return self.linears[-1](x)
