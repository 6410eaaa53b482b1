import math

import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    """单头自注意力，带掩码、dropout 和输出投影。"""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.dropout_rate = dropout
        # Q、K、V 三个投影
        self.w_q = nn.Linear(hidden_dim, hidden_dim)
        self.w_k = nn.Linear(hidden_dim, hidden_dim)
        self.w_v = nn.Linear(hidden_dim, hidden_dim)
        # 输出投影
        self.w_o = nn.Linear(hidden_dim, hidden_dim)

    def my_dropout(self, weights):
        # 老师让我们自己实现 dropout：
        # 训练时以概率 p 把权重置为 0，推理时什么都不做
        if not self.training:
            return weights
        keep = torch.rand_like(weights) >= self.dropout_rate
        return weights * keep.to(weights.dtype)

    def forward(self, x, attention_mask=None):
        # 1. 线性变换
        q = self.w_q(x)
        k = self.w_k(x)
        v = self.w_v(x)
        # 2. 分数，形状 (batch, length, length)
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.hidden_dim)
        # 3. 掩码：1 表示可以看，0 表示不能看
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        # 4. softmax 之后做 dropout
        weights = torch.softmax(scores, dim=-1)
        weights = self.my_dropout(weights)
        # 5. 加权求和，再过输出投影
        return self.w_o(torch.bmm(weights, v))
