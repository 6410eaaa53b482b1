# wrong: triton-softmax softmax-unstable line 16
# fair: softmax-unstable 21
import torch
import triton
import triton.language as tl


@triton.jit
def sm(x_ptr, y_ptr, N, rs, cs, yrs, ycs, T: tl.constexpr):
    row = tl.program_id(0)
    lane = tl.arange(0, T)
    acc = tl.zeros([T], dtype=tl.float32)
    for first in range(0, N, T):
        col = first + lane
        x = tl.load(x_ptr + row * rs + col * cs, mask=col < N, other=-float("inf"))
        acc += tl.exp(x.to(tl.float32))
    total = tl.sum(acc, axis=0)
    for first in range(0, N, T):
        col = first + lane
        x = tl.load(x_ptr + row * rs + col * cs, mask=col < N, other=-float("inf"))
        tl.store(y_ptr + row * yrs + col * ycs, tl.exp(x.to(tl.float32)) / total, mask=col < N)


def softmax(x):
    y = torch.empty_like(x)
    sm[(x.shape[0],)](x, y, x.shape[1], x.stride(0), x.stride(1), y.stride(0), y.stride(1), T=128)
    return y
