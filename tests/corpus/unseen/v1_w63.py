# 第三周作业：自注意力 v1（单头，无掩码）
import math

import torch
import torch.nn.functional as F
from torch import nn


class SelfAttentionV1(nn.Module):
    """最简单的单头自注意力。"""

    def __init__(self, hidden_dim):
        super().__init__()
        # 保存隐藏维度，后面缩放的时候要用
        self.hidden_dim = hidden_dim
        # 三个线性层：分别得到 Q、K、V，放进 ModuleList 里统一管理，
        # 这样 PyTorch 才能把参数注册进来
        self.projections = nn.ModuleList([nn.Linear(hidden_dim, hidden_dim)] * 3)

    def forward(self, x):
        # x 的形状：(批大小, 序列长度, 隐藏维度)
        query, key, value = [layer(x) for layer in self.projections]

        # 第一步：计算分数 (批, 长度, 长度)，行是 query，列是 key
        scores = torch.matmul(query, key.transpose(-2, -1))
        # 第二步：除以根号 d，避免 softmax 饱和
        scores = scores / math.sqrt(self.hidden_dim)
        # 第三步：沿着 key 的方向做 softmax，每一行加起来等于 1
        weights = F.softmax(scores, dim=-1)
        # 第四步：加权求和
        context = torch.matmul(weights, value)
        return context
