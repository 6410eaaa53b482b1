"""Softmax over the rows of a matrix in Triton: one program a row, the whole row in one block."""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    x_ptr, y_ptr, columns,
    x_row_stride, x_column_stride, y_row_stride, y_column_stride,
    BLOCK: tl.constexpr,
):  # fmt: skip
    # In 64 bits: with many rows the offset goes beyond what 32 hold.
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    in_row = lanes < columns
    x_ptrs = x_ptr + row * x_row_stride + lanes * x_column_stride
    # The lanes left over hold -inf, of which exp is 0.
    values = tl.load(x_ptrs, mask=in_row, other=float("-inf")).to(tl.float32)
    exps = tl.exp(values - tl.max(values, axis=0))
    shares = exps / tl.sum(exps, axis=0)
    y_ptrs = y_ptr + row * y_row_stride + lanes * y_column_stride
    tl.store(y_ptrs, shares, mask=in_row)


def triton_softmax(x: torch.Tensor) -> torch.Tensor:
    """Turn each row of x, (rows, columns) of any float dtype, into shares that add up to 1."""
    rows, columns = x.shape
    y = torch.empty_like(x)
    # One program for each row; a block has 2, 4, 8 … lanes.
    softmax_kernel[(rows,)](
        x, y, columns, x.stride(0), x.stride(1), y.stride(0), y.stride(1),
        BLOCK=triton.next_power_of_2(columns),
    )  # fmt: skip
    return y
