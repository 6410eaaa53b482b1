# right: triton-softmax
from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def rows_softmax(
    src, dst, rows, cols, src_r, src_c, dst_r, dst_c, ROWS: tl.constexpr, COLS: tl.constexpr
):
    """ROWS rows at a time, as a two-dimensional block."""
    r = tl.program_id(axis=0) * ROWS + tl.arange(0, ROWS)[:, None]
    c = tl.arange(0, COLS)[None, :]
    inside = (r < rows) & (c < cols)
    block = tl.load(src + r * src_r + c * src_c, mask=inside, other=float("-inf"))
    block = block.to(tl.float32)
    # A row that is not there would be -inf - -inf.
    block = tl.where(r < rows, block, 0.0)
    top = tl.max(block, axis=1, keep_dims=True)
    e = tl.exp(block - top)
    out = e / tl.sum(e, axis=1, keep_dims=True)
    tl.store(dst + r * dst_r + c * dst_c, out.to(dst.dtype.element_ty), mask=inside)


def triton_softmax(x: Tensor) -> Tensor:
    rows, cols = x.shape
    out = x.new_empty((rows, cols))
    grid = lambda meta: (triton.cdiv(rows, meta["ROWS"]),)
    rows_softmax[grid](
        x, out, rows, cols, x.stride(0), x.stride(1), out.stride(0), out.stride(1),
        ROWS=4, COLS=triton.next_power_of_2(cols),
    )
    return out
