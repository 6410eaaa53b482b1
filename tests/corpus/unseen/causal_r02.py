# attn-kata: causal
import math

import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    """因果自注意力: 每个位置只能看到自己和之前的位置"""

    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        # 下三角矩阵, True 表示可以看
        mask = torch.tril(torch.ones(block_size, block_size, dtype=torch.bool))
        self.register_buffer('mask', mask.view(1, 1, block_size, block_size))

    def split(self, t):
        # [B, T, C] -> [B, H, T, d]
        B, T, C = t.size()
        return t.view(B, T, self.num_heads, self.head_dim).permute(0, 2, 1, 3)

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.split(self.wq(x)), self.split(self.wk(x)), self.split(self.wv(x))
        att = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.head_dim)
        # 只取前 T 行 T 列
        visible = self.mask[:, :, :T, :T]
        att = att.masked_fill(~visible, float('-inf'))
        att = torch.softmax(att, dim=-1)
        y = torch.matmul(att, v)
        y = y.permute(0, 2, 1, 3).contiguous().view(B, T, C)
        return self.wo(y)
