# right: v1
# 单头自注意力，最朴素的写法
import math
import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int = 768) -> None:
        super(SelfAttentionV1, self).__init__()
        self.hidden_dim = hidden_dim
        self.query_layer = nn.Linear(hidden_dim, hidden_dim)
        self.key_layer = nn.Linear(hidden_dim, hidden_dim)
        self.value_layer = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X):
        # X 的形状: (批, 长度, 维度)
        Q = self.query_layer(X)
        K = self.key_layer(X)
        V = self.value_layer(X)
        # 打分 -> 缩放 -> 归一化
        fenshu = torch.matmul(Q, K.transpose(1, 2)) / math.sqrt(self.hidden_dim)
        quanzhong = torch.softmax(fenshu, dim=-1)
        return torch.matmul(quanzhong, V)


if __name__ == "__main__":
    print(SelfAttentionV1(4)(torch.rand(3, 2, 4)).shape)
