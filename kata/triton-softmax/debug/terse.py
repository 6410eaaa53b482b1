import torch, triton
from triton import language as tl

@triton.jit
def k(X, Y, n, s0, s1, t0, t1, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    x = tl.load(X + r * s0 + c * s1, mask=c < n, other=float("-inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, 0))
    tl.store(Y + r * t0 + c * t1, e / tl.sum(e, 0), mask=c < n)

def softmax(x):
    y = torch.empty_like(x)
    B = triton.next_power_of_2(x.shape[1])
    k[(x.shape[0],)](x, y, x.shape[1], *x.stride(), *y.stride(), B)
    return y
