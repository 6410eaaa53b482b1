# wrong: triton-softmax store-strides line 29
from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

# type notes:  *mut T = pointer tensors,  usize = int64 offsets


@triton.jit
def kernel(
    src,
    dst,
    n_cols,
    stride_r,
    stride_c,
    BLOCK: tl.constexpr,
):
    r = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    inside = c < n_cols
    place = r * stride_r + c.to(tl.int64) * stride_c
    x = tl.load(src + place, mask=inside, other=float("-inf")).to(tl.float32)
    x = x - tl.max(x, axis=0)
    num = tl.exp(x)
    den = tl.sum(num, axis=0)
    tl.store(dst + place, (num / den).to(dst.dtype.element_ty), mask=inside)


def triton_softmax(x: Tensor) -> Tensor:
    n_rows, n_cols = x.shape
    # same dtype, device and layout as x
    out = torch.empty_like(x)
    kernel[(n_rows,)](
        x,
        out,
        n_cols,
        x.stride(0),
        x.stride(1),
        BLOCK=max(128, triton.next_power_of_2(n_cols)),
    )
    return out
