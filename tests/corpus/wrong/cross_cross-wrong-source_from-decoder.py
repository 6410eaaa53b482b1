# wrong: cross cross-wrong-source line 23
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    """解码器的交叉注意力: query 来自解码器, key/value 来自编码器"""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_layer = nn.Linear(hidden_dim, hidden_dim)
        self.key_layer = nn.Linear(hidden_dim, hidden_dim)
        self.value_layer = nn.Linear(hidden_dim, hidden_dim)
        self.out_layer = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        b, tq, d = query.shape
        # 三个线性映射
        Q = self.query_layer(query)
        K = self.key_layer(value)
        V = self.value_layer(value)
        # 分头: (b, h, t, d/h)
        Q = Q.view(b, -1, self.num_heads, self.head_dim).transpose(1, 2)
        K = K.view(b, -1, self.num_heads, self.head_dim).transpose(1, 2)
        V = V.view(b, -1, self.num_heads, self.head_dim).transpose(1, 2)
        att = torch.matmul(Q, K.transpose(-1, -2)) / self.head_dim ** 0.5
        if mask is not None:
            att = att.masked_fill(mask.unsqueeze(1) == 0, float("-inf"))
        att = self.dropout(att.softmax(dim=-1))
        out = torch.matmul(att, V).transpose(1, 2).reshape(b, tq, d)
        return self.out_layer(out)
