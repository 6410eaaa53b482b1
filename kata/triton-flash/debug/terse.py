import math
import torch, triton
from triton import language as tl

@triton.jit
def fa(q, k, v, o, n, scale, D: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    h = tl.program_id(1) * n * D
    d = tl.arange(0, D)[None, :]
    r = tl.program_id(0) * B + tl.arange(0, B)
    Q = tl.load(q + h + r[:, None] * D + d, mask=r[:, None] < n, other=0.0).to(tl.float32)
    m = tl.full([B, 1], float("-inf"), tl.float32)
    l = tl.zeros([B, 1], tl.float32)
    a = tl.zeros([B, D], tl.float32)
    for s in range(0, n, B):
        j = s + tl.arange(0, B)
        K = tl.load(k + h + j[:, None] * D + d, mask=j[:, None] < n, other=0.0).to(tl.float32)
        V = tl.load(v + h + j[:, None] * D + d, mask=j[:, None] < n, other=0.0).to(tl.float32)
        x = tl.where(j[None, :] < n, tl.dot(Q, K.T, input_precision="ieee") * scale, -1e30)
        x = tl.where((j[None, :] > r[:, None]) & C, -1e30, x)
        t = tl.maximum(m, tl.max(x, 1, keep_dims=True))
        p = tl.exp(x - t)
        f = tl.exp(m - t)
        l = l * f + tl.sum(p, 1, keep_dims=True)
        a = a * f + tl.dot(p, V, input_precision="ieee")
        m = t
    tl.store(o + h + r[:, None] * D + d, a / l, mask=r[:, None] < n)

def flash(q, k, v, causal=False):
    q, k, v = (t.contiguous() for t in (q, k, v))
    h, n, d = q.shape
    o = torch.empty_like(q)
    fa[(triton.cdiv(n, 32), h)](q, k, v, o, n, 1 / math.sqrt(d), d, 32, causal)
    return o
