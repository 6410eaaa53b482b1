# wrong: triton-softmax padding-as-zero line 22
import torch
import triton
import triton.language as tl

BLOCK = 64


@triton.jit
def _softmax(X, Y, n, xr, xc, yr, yc, B: tl.constexpr):
    i = tl.program_id(0)
    o = tl.arange(0, B)
    m = -float("inf")
    for s in range(0, n, B):
        c = s + o
        t = tl.load(X + i * xr + c * xc, mask=c < n, other=-float("inf")).to(tl.float32)
        m = tl.maximum(m, tl.max(t, axis=0))
    # second pass: sum of exponentials
    z = 0.0
    for s in range(0, n, B):
        c = s + o
        t = tl.load(X + i * xr + c * xc, mask=c < n, other=0).to(tl.float32)
        z += tl.sum(tl.exp(t - m), axis=0)
    for s in range(0, n, B):
        c = s + o
        t = tl.load(X + i * xr + c * xc, mask=c < n).to(tl.float32)
        tl.store(Y + i * yr + c * yc, tl.exp(t - m) / z, mask=c < n)


def softmax(x):
    y = torch.empty_like(x)
    _softmax[(x.shape[0],)](x, y, x.shape[1], *x.stride(), *y.stride(), B=BLOCK)
    return y
