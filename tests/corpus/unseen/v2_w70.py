# 单头自注意力，融合 QKV 投影
import math

import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.scaling = hidden_dim ** -0.5
        # 一次矩阵乘法得到 q, k, v
        self.qkv_proj = nn.Linear(hidden_dim, hidden_dim * 3)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        # x: [batch, seq, hidden]
        qkv = self.qkv_proj(x)
        q, k, v = torch.split(qkv, self.hidden_dim, dim=-1)
        # 先缩放 q，防止点积过大
        q = q * self.scaling
        # 注意力分数: [batch, seq, seq]
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.hidden_dim)
        weights = torch.softmax(scores, dim=-1)
        # 加权求和: [batch, seq, hidden]
        context = torch.matmul(weights, v)
        return self.o_proj(context)


if __name__ == "__main__":
    layer = SelfAttentionV2(16)
    print(layer(torch.randn(2, 5, 16)).shape)
