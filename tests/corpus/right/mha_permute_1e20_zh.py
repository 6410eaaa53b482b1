# right: mha remarks: fill-overflows-half
# 多头自注意力（手撕版）
import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, dropout=0.1):
        super().__init__()
        self.nums_head = nums_head
        # 一般来说 hidden_dim = head_dim * nums_head
        self.head_dim = hidden_dim // nums_head
        self.hidden_dim = hidden_dim

        self.query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.att_dropout = nn.Dropout(dropout)

    def split_heads(self, t):
        b, s, _ = t.size()
        # (b, s, h) -> (b, s, n, d) -> (b, n, s, d)
        return t.view(b, s, self.nums_head, self.head_dim).permute(0, 2, 1, 3)

    def forward(self, X, attention_mask=None):
        b, s, _ = X.size()
        q = self.split_heads(self.query(X))
        k = self.split_heads(self.key(X))
        v = self.split_heads(self.value(X))
        weight = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            weight = weight.masked_fill(attention_mask == 0, float("-1e20"))
        weight = torch.softmax(weight, dim=-1)
        weight = self.att_dropout(weight)
        out = weight @ v
        # 先换轴，再合并；transpose 之后要 contiguous
        out = out.transpose(1, 2).contiguous().view(b, s, -1)
        return self.o_proj(out)
