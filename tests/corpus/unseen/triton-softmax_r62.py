import torch
import triton
import triton.language as tl


@triton.jit
def _online_rows(src, dst, cols, s_row, s_col, d_row, TILE: tl.constexpr):
    r = tl.program_id(axis=0).to(tl.int64)
    lane = tl.arange(0, TILE)
    peak = tl.full((TILE,), float("-inf"), tl.float32)
    mass = tl.zeros((TILE,), tl.float32)
    # each lane keeps a running max and sum of its own
    for start in range(0, cols, TILE):
        c = start + lane
        x = tl.load(src + r * s_row + c * s_col, mask=c < cols, other=float("-inf")).to(tl.float32)
        new = tl.maximum(peak, x)
        ref = tl.where(new == float("-inf"), 0.0, new)
        mass = mass * tl.exp(peak - ref) + tl.exp(x - ref)
        peak = new
    top = tl.max(peak, axis=0)
    total = tl.sum(mass * tl.exp(peak - top), axis=0)
    for start in range(0, cols, TILE):
        c = start + lane
        ok = c < cols
        x = tl.load(src + r * s_row + c * s_col, mask=ok, other=float("-inf")).to(tl.float32)
        tl.store(dst + r * d_row + c, tl.exp(x - top) / total, mask=ok)


def triton_softmax(x: torch.Tensor) -> torch.Tensor:
    rows, cols = x.shape
    out = torch.empty((rows, cols), dtype=x.dtype, device=x.device)
    tile = min(triton.next_power_of_2(max(cols, 16)), 1024)
    _online_rows[(rows,)](x, out, cols, x.stride(0), x.stride(1), out.stride(0), TILE=tile)
    return out
