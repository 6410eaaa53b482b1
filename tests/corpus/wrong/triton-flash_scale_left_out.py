# wrong: triton-flash scale-missing line 20
# fair: scale-missing 12
import torch, triton
import triton.language as tl

@triton.jit
def fa(q, k, v, o, T, sc, C: tl.constexpr, D: tl.constexpr, B: tl.constexpr):
    i, h = tl.program_id(0), tl.program_id(1)
    d = tl.arange(0, D)[None, :]
    r = i * B + tl.arange(0, B)
    at = h * T * D
    Q = tl.load(q + at + r[:, None] * D + d, r[:, None] < T, 0.).to(tl.float32)
    m = tl.full([B], float('-inf'), tl.float32)
    l = tl.zeros([B], tl.float32)
    a = tl.zeros([B, D], tl.float32)
    for s in range(0, T, B):
        c = s + tl.arange(0, B)
        K = tl.load(k + at + c[:, None] * D + d, c[:, None] < T, 0.).to(tl.float32)
        V = tl.load(v + at + c[:, None] * D + d, c[:, None] < T, 0.).to(tl.float32)
        x = tl.dot(Q, tl.trans(K), input_precision='ieee')
        ok = c[None, :] < T
        if C:
            ok &= c[None, :] <= r[:, None]
        x = tl.where(ok, x, float('-inf'))
        n = tl.maximum(m, tl.max(x, 1))
        p = tl.exp(x - n[:, None])
        f = tl.exp(m - n)
        l = l * f + tl.sum(p, 1)
        a = a * f[:, None] + tl.dot(p, V, input_precision='ieee')
        m = n
    tl.store(o + at + r[:, None] * D + d, a / l[:, None], r[:, None] < T)

def flash_attention(q, k, v, causal=False):
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    h, t, d = q.shape
    o = torch.empty_like(q)
    fa[(triton.cdiv(t, 32), h)](q, k, v, o, t, d ** -.5, causal, d, 32)
    return o
