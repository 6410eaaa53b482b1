"""Softmax over the rows of a matrix; eight rows for each program."""
import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def softmax_block(
    x_ptr, out_ptr, rows, columns, x_stride_r, x_stride_c, out_stride_r,
    BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr,
):
    block = tl.program_id(0)
    r = block * BLOCK_R + tl.arange(0, BLOCK_R)
    c = tl.arange(0, BLOCK_C)
    r = r[:, None].to(tl.int64)
    c = c[None, :].to(tl.int64)

    # read: lanes without a number get something harmless
    x = tl.load(
        x_ptr + r * x_stride_r + c * x_stride_c,
        mask=(r < rows) & (c < columns),
        other=-float("inf"),
    ).to(tl.float32)
    x = tl.where(r < rows, x, 0.0)

    # compute
    biggest = tl.max(x, axis=1, keep_dims=True)
    powers = tl.exp(x - biggest)
    shares = powers / tl.sum(powers, axis=1, keep_dims=True)

    # write
    tl.store(out_ptr + r * out_stride_r + c, shares.to(out_ptr.dtype.element_ty), mask=c < columns)


def triton_softmax(x: Tensor) -> Tensor:
    rows, columns = x.shape
    out = torch.empty(rows, columns, dtype=x.dtype, device=x.device)
    block_r = 8
    block_c = triton.next_power_of_2(columns)
    grid = lambda meta: (triton.cdiv(rows, meta["BLOCK_R"]),)
    softmax_block[grid](
        x, out, rows, columns, x.stride(0), x.stride(1), out.stride(0),
        BLOCK_R=block_r, BLOCK_C=block_c,
    )
    return out
