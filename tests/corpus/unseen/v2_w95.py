import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    """
    单头自注意力, 一次线性变换同时得到 q, k, v
    """

    def __init__(self, hidden_dim):
        super(SelfAttentionV2, self).__init__()
        self.hidden_dim = hidden_dim
        self.qkv_proj = nn.Linear(hidden_dim, hidden_dim * 3)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        batch, seq, dim = x.size()
        # 投影后拆成三份
        qkv = self.qkv_proj(x)
        qkv = qkv.view(batch, 3, seq, dim)
        q, k, v = qkv[:, 0], qkv[:, 1], qkv[:, 2]
        # 注意力分数 (batch, seq, seq)
        score = torch.matmul(q, k.transpose(-1, -2)) / (dim ** 0.5)
        attn = torch.softmax(score, dim=-1)
        # 加权求和
        return self.out(torch.matmul(attn, v))
