# 单头自注意力，softmax 手写
from __future__ import annotations

import torch
from torch import Tensor, nn


def 归一化指数(分数: Tensor) -> Tensor:
    """沿最后一轴；减去最大值以免溢出，最大值不参与求导。"""
    最大 = 分数.detach().amax(dim=-1, keepdim=True)
    指数 = (分数 - 最大).exp()
    总和 = 指数.detach().sum(dim=-1, keepdim=True)
    return 指数 / 总和


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.投影 = nn.ModuleDict({名: nn.Linear(hidden_dim, hidden_dim) for 名 in "qkv"})
        self.缩放 = hidden_dim**-0.5

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (层(x) for 层 in self.投影.values())
        权重 = 归一化指数(torch.einsum("bic,bjc->bij", q * self.缩放, k))
        return torch.einsum("bij,bjc->bic", 权重, v)
