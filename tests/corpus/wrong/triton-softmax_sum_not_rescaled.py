# wrong: triton-softmax sum-not-rescaled line 18
import torch
import triton
import triton.language as tl


@triton.jit
def online_softmax(X, Y, N, sxm, sxn, sym, syn, TILE: tl.constexpr):
    pid = tl.program_id(0)
    offs = tl.arange(0, TILE)
    running_max = -float("inf")
    running_sum = 0.0
    for start in range(0, N, TILE):
        n = start + offs
        v = tl.load(X + pid * sxm + n * sxn, mask=n < N, other=-float("inf")).to(tl.float32)
        new_max = tl.maximum(running_max, tl.max(v, axis=0))
        e = tl.exp(v - new_max)
        running_sum = running_sum + tl.sum(e, axis=0)
        running_max = new_max
    for start in range(0, N, TILE):
        n = start + offs
        v = tl.load(X + pid * sxm + n * sxn, mask=n < N, other=-float("inf")).to(tl.float32)
        tl.store(Y + pid * sym + n * syn, tl.exp(v - running_max) / running_sum, mask=n < N)


def softmax(x):
    M, N = x.shape
    y = torch.empty_like(x)
    online_softmax[(M,)](x, y, N, x.stride(0), x.stride(1), y.stride(0), y.stride(1), TILE=4)
    return y
