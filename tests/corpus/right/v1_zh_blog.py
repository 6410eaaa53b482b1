# right: v1
# -*- coding: utf-8 -*-
# 手撕自注意力第一版：只要公式，不要花活
import torch
import torch.nn as nn
import torch.nn.functional as F


class 自注意力(nn.Module):
    """softmax(QK^T / √d) V"""

    def __init__(self, 隐藏维度: int = 728):
        super().__init__()
        self.隐藏维度 = 隐藏维度
        self.查询层 = nn.Linear(隐藏维度, 隐藏维度)
        self.键层 = nn.Linear(隐藏维度, 隐藏维度)
        self.值层 = nn.Linear(隐藏维度, 隐藏维度)

    def forward(self, 输入):
        # 输入：(批量, 长度, 隐藏维度)
        查询 = self.查询层(输入)
        键 = self.键层(输入)
        值 = self.值层(输入)
        分数 = 查询 @ 键.transpose(1, 2)      # (批量, 长度, 长度)
        分数 = 分数 / self.隐藏维度 ** 0.5
        权重 = F.softmax(分数, dim=-1)
        return 权重 @ 值


if __name__ == "__main__":
    测试 = torch.rand(3, 2, 4)
    print(自注意力(4)(测试).shape)
