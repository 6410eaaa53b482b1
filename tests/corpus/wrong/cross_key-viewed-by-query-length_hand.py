# wrong: cross key-viewed-by-query-length line 23 (error)
# fair: key-viewed-by-query-length 23 24
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        # 交叉注意力：query 来自解码器，key/value 来自编码器
        b, tq, c = query.size()
        tk = key.size(1)
        q = self.Wq(query).view(b, tq, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.Wk(key).view(b, tq, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.Wv(value).view(b, tq, self.num_heads, self.head_dim).transpose(1, 2)
        att = q @ k.transpose(-1, -2) / self.head_dim ** 0.5
        if mask is not None:
            att = att.masked_fill(mask[:, None] == 0, float('-inf'))
        att = self.dropout(att.softmax(dim=-1))
        out = (att @ v).transpose(1, 2).reshape(b, tq, c)
        return self.Wo(out)
