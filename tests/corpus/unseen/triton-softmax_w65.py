import torch
import triton
import triton.language as tl

ROWS_PER_PROGRAM = 4


@triton.jit
def offsets_of(r, c, row_stride):
    return r[:, None] * row_stride + c[None, :]


@triton.jit
def block_softmax(inp, out, n_rows, n_cols, in_stride, out_stride, R: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, C)
    ok = (r[:, None] < n_rows) & (c[None, :] < n_cols)
    z = tl.load(inp + offsets_of(r, c, in_stride), mask=ok, other=float("-inf"))
    z = tl.where(r[:, None] < n_rows, z.to(tl.float32), 0.0)
    z = z - tl.max(z, axis=1)[:, None]
    e = tl.exp(z)
    share = e / tl.sum(e, axis=1)[:, None]
    tl.store(out + offsets_of(r, c, out_stride), share, mask=ok)


def triton_softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    result = torch.empty(n_rows, n_cols, dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(n_rows, ROWS_PER_PROGRAM),)
    width = max(16, triton.next_power_of_2(n_cols))
    block_softmax[grid](x, result, n_rows, n_cols, x.stride(0), result.stride(0), R=ROWS_PER_PROGRAM, C=width)
    return result
