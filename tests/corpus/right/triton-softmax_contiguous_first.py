# right: triton-softmax
import torch, triton
import triton.language as tl

@triton.jit
def k(x, o, n, B: tl.constexpr):
    i = tl.program_id(0)
    j = tl.arange(0, B)
    v = tl.load(x + i*n + j, j < n, float('-inf'))
    v = tl.exp(v - tl.max(v, 0))
    tl.store(o + i*n + j, v / tl.sum(v, 0), j < n)

def softmax(a):
    a = a.contiguous()
    o = torch.empty(a.shape, dtype=a.dtype, device=a.device)
    k[(len(a),)](a, o, a.size(1), triton.next_power_of_2(a.size(1)))
    return o
