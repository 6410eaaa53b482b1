# wrong: v1 scale-missing line 19, softmax-wrong-axis line 20
# 手写自注意力，面试现场版
import torch
import torch.nn as nn
import torch.nn.functional as F


class 自注意力(nn.Module):
    def __init__(self, 维度):
        super().__init__()
        self.查询 = nn.Linear(维度, 维度)
        self.键 = nn.Linear(维度, 维度)
        self.值 = nn.Linear(维度, 维度)

    def forward(self, 输入):
        q = self.查询(输入)
        k = self.键(输入)
        v = self.值(输入)
        分数 = torch.matmul(q, k.transpose(-2, -1))
        权重 = F.softmax(分数, dim=-2)
        return torch.matmul(权重, v)
