import torch
import triton
import triton.language as tl

TILE = 1024


@triton.jit
def softmax_kernel(x_ptr, y_ptr, n_cols, x_stride, y_stride, TILE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + row * x_stride
    y_row = y_ptr + row * y_stride
    offs = tl.arange(0, TILE)

    # first pass: statistics of the row, tile by tile
    running_max = -float("inf")
    running_sum = 0.0
    for begin in range(0, n_cols, TILE):
        cols = begin + offs
        tile = tl.load(x_row + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        running_max = tl.maximum(running_max, tl.max(tile, axis=0))
        running_sum = running_sum + tl.sum(tl.exp(tile - running_max), axis=0)

    # second pass: write the shares
    for begin in range(0, n_cols, TILE):
        cols = begin + offs
        keep = cols < n_cols
        tile = tl.load(x_row + cols, mask=keep, other=-float("inf")).to(tl.float32)
        share = tl.exp(tile - running_max) / running_sum
        tl.store(y_row + cols, share.to(y_ptr.dtype.element_ty), mask=keep)


def triton_softmax(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    rows, cols = x.shape
    softmax_kernel[(rows,)](x, y, cols, x.stride(0), y.stride(0), TILE=TILE)
    return y
