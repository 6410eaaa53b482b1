# wrong: v2 scale-without-sqrt line 17
import math
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        # 合并成一个大矩阵，一次算完
        self.proj = nn.Linear(dim, dim * 3)

    def forward(self, X):
        QKV = self.proj(X)
        Q, K, V = torch.split(QKV, self.dim, dim=-1)
        att_weight = torch.softmax(Q @ K.transpose(-1, -2) / self.dim, dim=-1)
        return att_weight @ V
