"""Row-wise softmax; a program takes a few rows at once, as a block of two axes."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

ROWS_PER_PROGRAM: int = 2


@triton.jit
def _exponentials(block):
    """Exponentials of a block's rows, each measured from the row's maximum."""
    return tl.exp(block - tl.max(block, axis=1, keep_dims=True))


@triton.jit
def _softmax_rows(
    x_ptr, y_ptr, n_rows, n_cols, x_row_stride, x_col_stride, y_row_stride, y_col_stride,
    ROWS: tl.constexpr, COLS: tl.constexpr,
):
    cols = tl.arange(0, COLS)[None, :]
    rows = tl.program_id(axis=0) * ROWS + tl.arange(0, ROWS)[:, None]
    valid = (rows < n_rows) & (cols < n_cols)

    x_ptrs = x_ptr + rows * x_row_stride + cols * x_col_stride
    block = tl.load(x_ptrs, mask=valid, other=float("-inf")).to(tl.float32)
    # Rows that do not exist would become -inf - -inf.
    block = tl.where(rows < n_rows, block, 0.0)
    exps = _exponentials(block)
    total = tl.sum(exps, axis=1, keep_dims=True)

    y_ptrs = y_ptr + rows * y_row_stride + cols * y_col_stride
    tl.store(y_ptrs, (exps / total).to(y_ptr.dtype.element_ty), mask=valid)


def triton_softmax(x: Tensor) -> Tensor:
    """Return softmax(x) along the last axis."""
    n_rows, n_cols = x.shape
    y: Tensor = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    grid: tuple[int, ...] = (triton.cdiv(n_rows, ROWS_PER_PROGRAM),)
    _softmax_rows[grid](
        x, y, n_rows, n_cols, x.stride(0), x.stride(1), y.stride(0), y.stride(1),
        ROWS=ROWS_PER_PROGRAM, COLS=triton.next_power_of_2(n_cols),
    )
    return y
