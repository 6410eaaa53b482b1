# wrong: triton-softmax store-unmasked (error) line 15
import torch, triton
import triton.language as tl


@triton.jit
def fused_softmax_kernel(a_ptr, b_ptr, n_cols, a0, a1, b0, b1, SIZE: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, SIZE)
    a = tl.load(a_ptr + r * a0 + c * a1, mask=c < n_cols, other=float('-inf')).to(tl.float32)
    a_max = tl.max(a, 0)
    a_exp = tl.exp(a - a_max)
    a_sum = tl.sum(a_exp, 0)
    b = a_exp / a_sum
    tl.store(b_ptr + r * b0 + c * b1, b)


def fused_softmax(a):
    b = torch.empty_like(a)
    fused_softmax_kernel[(a.shape[0],)](
        a, b, a.shape[1], a.stride(0), a.stride(1), b.stride(0), b.stride(1),
        SIZE=triton.next_power_of_2(a.shape[1]))
    return b
