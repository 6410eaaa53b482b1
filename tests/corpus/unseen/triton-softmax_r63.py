import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def _pair(m1, s1, m2, s2):
    m = tl.maximum(m1, m2)
    return m, s1 * tl.exp(m1 - m) + s2 * tl.exp(m2 - m)


@triton.jit
def _rows_kernel(x_ptr, out_ptr, rows, columns, x_row, x_col, o_row, ROWS: tl.constexpr, LANES: tl.constexpr):
    r = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    lane = tl.arange(0, LANES)[None, :]
    here = r < rows
    # every lane keeps a maximum and a sum of its own; they meet once, behind the loop
    low = tl.full((ROWS, LANES), -3.0e38, tl.float32)
    total = tl.zeros((ROWS, LANES), tl.float32)
    for start in range(0, columns, LANES):
        c = (start + lane).to(tl.int64)
        inside = here & (c < columns)
        v = tl.load(x_ptr + r * x_row + c * x_col, mask=inside, other=0.0).to(tl.float32)
        m, s = _pair(low, total, tl.where(inside, v, -3.0e38), tl.where(inside, 1.0, 0.0))
        low = m
        total = s
    top = tl.max(low, axis=1)[:, None]
    denominator = tl.sum(total * tl.exp(low - top), axis=1)[:, None]
    denominator = tl.where(here, denominator, 1.0)
    for start in range(0, columns, LANES):
        c = (start + lane).to(tl.int64)
        inside = here & (c < columns)
        v = tl.load(x_ptr + r * x_row + c * x_col, mask=inside, other=0.0).to(tl.float32)
        share = tl.exp(tl.where(inside, v, top) - top) / denominator
        tl.store(out_ptr + r * o_row + c, share.to(out_ptr.dtype.element_ty), mask=inside)


def triton_softmax(x: Tensor) -> Tensor:
    rows, columns = x.shape
    out = torch.empty((rows, columns), dtype=x.dtype, device=x.device)
    lanes = min(triton.next_power_of_2(columns), 1024)
    per_program = 4
    grid = (triton.cdiv(rows, per_program),)
    _rows_kernel[grid](x, out, rows, columns, x.stride(0), x.stride(1), out.stride(0), ROWS=per_program, LANES=lanes)
    return out
