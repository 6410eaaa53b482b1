# wrong: triton-softmax forbidden-call line 22
import torch
import triton
import triton.language as tl


@triton.jit
def divide_rows(e, z, y, n, B: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, B)
    keep = j < n
    top = tl.load(e + row * n + j, mask=keep)
    tl.store(y + row * n + j, top / tl.load(z + row), mask=keep)


def softmax(x):
    """The kernel only divides."""
    x = x.contiguous()
    highest = torch.zeros(x.shape[0], 1, device=x.device, dtype=x.dtype)
    for i in range(x.shape[0]):
        highest[i] = x[i].max()
    e = torch.exp(x - highest)
    z = e.sum(dim=1)
    y = torch.empty_like(x)
    divide_rows[(x.shape[0],)](e, z, y, x.shape[1], B=triton.next_power_of_2(x.shape[1]))
    return y
