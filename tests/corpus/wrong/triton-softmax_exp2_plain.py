# wrong: triton-softmax exp2-without-log2e line 14
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_fwd(x_ptr, y_ptr, n, sx0, sx1, sy0, sy1, BLOCK_N: tl.constexpr):
    pid = tl.program_id(0)
    cols = tl.arange(0, BLOCK_N)
    x = tl.load(x_ptr + pid * sx0 + cols * sx1, mask=cols < n, other=-float("inf")).to(tl.float32)
    x = x - tl.max(x, axis=0)
    # exp2 is the cheaper instruction
    p = tl.exp2(x)
    p = p / tl.sum(p, axis=0)
    tl.store(y_ptr + pid * sy0 + cols * sy1, p, mask=cols < n)


def softmax(x):
    m, n = x.shape
    y = torch.empty_like(x)
    softmax_fwd[(m,)](x, y, n, x.stride(0), x.stride(1), y.stride(0), y.stride(1),
                      BLOCK_N=triton.next_power_of_2(n))
    return y
