import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """多头注意力（训练营第四课）"""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0, "hidden_dim 必须能被 num_heads 整除"
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def split(self, t):
        # (批, 长度, 隐藏) -> (批, 长度, 头, 头维度) -> (批, 头, 长度, 头维度)
        b, l, _ = t.shape
        return t.view(b, l, self.num_heads, self.head_dim).transpose(1, 2)

    def merge(self, t):
        # (批, 头, 长度, 头维度) -> (批, 长度, 隐藏)
        b, _, l, _ = t.shape
        return t.transpose(1, 2).contiguous().view(b, l, -1)

    def forward(self, x, attention_mask=None):
        q, k, v = self.split(self.wq(x)), self.split(self.wk(x)), self.split(self.wv(x))

        # 分数：(批, 头, 长度, 长度)，注意这里要除以根号 head_dim，而不是 hidden_dim
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)

        if attention_mask is not None:
            # 先去掉头这一维，得到 (批, 长度, 长度) 或 (批, 1, 长度)
            mask = attention_mask[:, 0]
            # 再补回来，靠广播作用到每一个头
            mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)

        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        return self.wo(self.merge(weights @ v))
