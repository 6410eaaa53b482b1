# wrong: triton-softmax grid-too-small line 27
import torch
import triton
import triton.language as tl


@triton.jit
def rows_softmax(src, dst, rows, cols, s0, s1, d0, d1, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    c = tl.arange(0, COLS)[None, :]
    inside = (r < rows) & (c < cols)
    block = tl.load(src + r * s0 + c * s1, mask=inside, other=float("-inf")).to(tl.float32)
    block = tl.where(r < rows, block, 0.0)
    top = tl.max(block, axis=1)[:, None]
    e = tl.exp(block - top)
    out = e / tl.sum(e, axis=1)[:, None]
    tl.store(dst + r * d0 + c * d1, out, mask=inside)


ROWS_PER_PROGRAM = 2


def softmax(x):
    rows, cols = x.shape
    out = torch.empty_like(x)
    # each program takes two rows
    grid = (max(1, rows // ROWS_PER_PROGRAM),)
    rows_softmax[grid](
        x, out, rows, cols, x.stride(0), x.stride(1), out.stride(0), out.stride(1),
        ROWS=ROWS_PER_PROGRAM, COLS=triton.next_power_of_2(cols),
    )
    return out
