from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

ROWS = 4
WIDTH = 512


@triton.jit
def _rows_kernel(
    src, dst, n_rows, n_cols,
    src_row, src_col, dst_row, dst_col,
    ROWS: tl.constexpr, WIDTH: tl.constexpr,
):
    """ROWS rows a program, WIDTH columns at a time: a sweep for max and sum, a sweep to write."""
    r = tl.program_id(axis=0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    r_ok = (r < n_rows)[:, None]
    lane = tl.arange(0, WIDTH).to(tl.int64)

    top = tl.full((ROWS,), float("-inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    for start in range(0, n_cols, WIDTH):
        c = start + lane
        ok = r_ok & (c < n_cols)[None, :]
        x = tl.load(src + r[:, None] * src_row + c[None, :] * src_col, mask=ok, other=float("-inf"))
        x = x.to(tl.float32)
        new = tl.maximum(top, tl.max(x, axis=1))
        # rows past the end hold -inf only: give them 0 to subtract, they are never stored
        safe = tl.where(new == float("-inf"), 0.0, new)
        total = total * tl.exp(top - safe) + tl.sum(tl.exp(x - safe[:, None]), axis=1)
        top = new

    top = tl.where(top == float("-inf"), 0.0, top)
    total = tl.where(total == 0.0, 1.0, total)
    for start in range(0, n_cols, WIDTH):
        c = start + lane
        ok = r_ok & (c < n_cols)[None, :]
        x = tl.load(src + r[:, None] * src_row + c[None, :] * src_col, mask=ok, other=0.0)
        y = tl.exp(x.to(tl.float32) - top[:, None]) / total[:, None]
        y = y.to(dst.dtype.element_ty)
        tl.store(dst + r[:, None] * dst_row + c[None, :] * dst_col, y, mask=ok)


def triton_softmax(x: Tensor) -> Tensor:
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(n_rows, ROWS),)
    _rows_kernel[grid](x, out, n_rows, n_cols, *x.stride(), *out.stride(), ROWS, WIDTH)
    return out
