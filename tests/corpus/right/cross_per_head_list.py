# right: cross remarks: fill-overflows-half
import torch
import torch.nn as nn


class OneHead(nn.Module):
    def __init__(self, dim_in, dim_head, dropout):
        super().__init__()
        self.w_q = nn.Linear(dim_in, dim_head)
        self.w_k = nn.Linear(dim_in, dim_head)
        self.w_v = nn.Linear(dim_in, dim_head)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)
        s = q.bmm(k.transpose(1, 2)) / (q.size(-1) ** 0.5)
        if mask is not None:
            s = s.masked_fill(mask == 0, -1e9)
        return self.dropout(s.softmax(dim=-1)).bmm(v)


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.heads = nn.ModuleList(OneHead(hidden_dim, hidden_dim // num_heads, dropout) for _ in range(num_heads))
        self.linear = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, query, key, value, mask=None):
        return self.linear(torch.cat([h(query, key, value, mask) for h in self.heads], dim=-1))
