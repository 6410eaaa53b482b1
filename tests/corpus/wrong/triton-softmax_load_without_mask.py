# wrong: triton-softmax load-unmasked (error) line 13
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(inp, out, n, in_r, in_c, out_r, out_c, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    row_ptr = inp + pid * in_r

    v = tl.load(row_ptr + offs * in_c)
    v = tl.where(offs < n, v, float("-inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + pid * out_r + offs * out_c, e / tl.sum(e, axis=0), mask=offs < n)


def softmax(x):
    out = torch.empty_like(x)
    M, N = x.shape
    kernel[(M,)](x, out, N, x.stride(0), x.stride(1), out.stride(0), out.stride(1), triton.next_power_of_2(N))
    return out
