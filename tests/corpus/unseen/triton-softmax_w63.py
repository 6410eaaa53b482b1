from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def _row(ptr, offsets, mask):
    return tl.load(ptr + offsets, mask=mask, other=0.0).to(tl.float32)


@triton.jit
def softmax_kernel(x_ptr, y_ptr, n_cols, stride_xr, stride_yr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n_cols
    x = _row(x_ptr + row * stride_xr, offsets, mask)
    x = x - tl.max(x, axis=0)
    num = tl.exp(x)
    den = tl.sum(num, axis=0)
    tl.store(y_ptr + row * stride_yr + offsets, num / den, mask=mask)


def triton_softmax(x: Tensor) -> Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    n_rows, n_cols = x.shape
    softmax_kernel[(n_rows,)](
        x, y, n_cols, x.stride(0), y.stride(0), BLOCK=triton.next_power_of_2(n_cols)
    )
    return y
