# attn-kata: kata-name
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class KataName(nn.Module):
    """待写：题面里关于构造参数、层、输入和结果的全部说明。

    x      (batch, length, depth)，任何浮点 dtype
    返回   (batch, length, depth)
    """

    def __init__(self, depth: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError("write me")
