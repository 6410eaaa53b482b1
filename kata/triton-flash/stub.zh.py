# attn-kata: triton-flash
from __future__ import annotations

import math

import torch
import triton
import triton.language as tl
from torch import Tensor


def triton_flash_attention(
    query: Tensor, key: Tensor, value: Tensor, causal: bool = False
) -> Tensor:
    """FlashAttention 的前向，用你自己写的 Triton kernel 来算。

    query、key、value   (heads, length, head_dim)，stride 任意；float32 或 float16；
                        head_dim 是 16、32 或 64
    causal              第 i 个 query 只看第 0 到第 i 个 key
    返回                (heads, length, head_dim)，dtype 和设备与 query 相同
    """
    raise NotImplementedError("write me")
