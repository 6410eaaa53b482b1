# wrong: triton-softmax sum-not-divided line 18
# fair: sum-not-divided 17
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, y, n, s0, s1, t0, t1, W: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, W)
    ok = c < n
    v = tl.load(x + r * s0 + c * s1, mask=ok, other=float("-inf")).to(tl.float32)
    m = tl.max(v, axis=0)
    z = tl.sum(tl.exp(v - m), axis=0)
    # forgot z
    v = tl.exp(v - m)
    tl.store(y + r * t0 + c * t1, v, mask=ok)


def softmax(t):
    y = torch.empty_like(t)
    kernel[(t.shape[0],)](t, y, t.shape[1], t.stride(0), t.stride(1), y.stride(0), y.stride(1),
                          W=triton.next_power_of_2(t.shape[1]))
    return y
