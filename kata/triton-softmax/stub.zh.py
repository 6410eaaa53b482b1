# attn-kata: triton-softmax
from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor


def triton_softmax(x: Tensor) -> Tensor:
    """把 x 的每一行变成加起来等于 1 的份额，用你自己写的 Triton kernel 来算。

    x        (rows, columns)，stride 任意；float32、bfloat16 或 float16
    返回     (rows, columns)，dtype 和设备与 x 相同
    """
    raise NotImplementedError("write me")
