# attn-kata: v2
# 融合投影的单头自注意力
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        # 一次矩阵乘法同时得到 Q, K, V
        self.qkv_proj = nn.Linear(hidden_dim, hidden_dim * 3)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        qkv = self.qkv_proj(x)                          # [B, L, 3D]
        dim = qkv.size(-1)
        query, key, value = torch.chunk(qkv, 3, dim=-1)
        # 注意力分数
        score = torch.matmul(query, key.transpose(-1, -2)) / dim ** 0.5
        prob = torch.softmax(score, dim=-1)             # 每一行之和为 1
        return self.out_proj(torch.matmul(prob, value))
