# attn-kata: kata-name
from __future__ import annotations

import math

import torch
from torch import Tensor


def kata_name(x: Tensor) -> Tensor:
    """待写：题面里关于参数和结果的全部说明。

    x      (batch, length, depth)，任何浮点 dtype
    返回   (batch, length, depth)
    """
    raise NotImplementedError("write me")
