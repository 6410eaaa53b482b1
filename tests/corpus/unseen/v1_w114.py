import math

import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    """单头自注意力"""

    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        # 三个投影矩阵，存成一个列表
        self.W = nn.ParameterList(
            [nn.Parameter(torch.empty(hidden_dim, hidden_dim)) for _ in range(3)]
        )
        for w in self.W:
            nn.init.xavier_uniform_(w)

    def forward(self, x):
        # x: (批大小, 长度, 维度)
        q = torch.einsum("bie,ed->bid", x, self.W[0])
        k = torch.einsum("bje,ed->bjd", x, self.W[1])
        v = torch.einsum("bje,ed->bjd", x, self.W[2])

        # 打分，除以根号 d
        score = torch.einsum("bid,bjd->bij", q, k) / math.sqrt(self.hidden_dim)
        attn = torch.softmax(score, dim=2)

        # 加权求和
        out = torch.einsum("bij,bid->bjd", attn, v)
        return out
