# wrong: triton-softmax stride-ignored line 11
# fair: stride-ignored 14
import torch
import triton
import triton.language as tl


@triton.jit
def rows(x, y, 列数, B: tl.constexpr):
    行 = tl.program_id(0)
    位置 = 行 * 列数 + tl.arange(0, B)
    有效 = tl.arange(0, B) < 列数
    # 假定内存连续
    值 = tl.load(x + 位置, mask=有效, other=-float("inf")).to(tl.float32)
    值 = tl.exp(值 - tl.max(值, axis=0))
    tl.store(y + 位置, 值 / tl.sum(值, axis=0), mask=有效)


def softmax(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    rows[(x.shape[0],)](x, y, x.shape[1], B=triton.next_power_of_2(x.shape[1]))
    return y
