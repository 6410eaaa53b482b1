# wrong: triton-flash padding-not-masked line 26
# fair: padding-not-masked 25, 29
"""Besides the output the kernel writes the log-sum-exps that a backward pass would need."""
import torch
import triton
import triton.language as tl


@triton.jit
def fwd(q, k, v, o, lse, n, scale, stride_h, stride_n, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr,
        CAUSAL: tl.constexpr):
    tile = tl.program_id(0)
    head = tl.program_id(1)
    base = head * stride_h
    i = tile * BM + tl.arange(0, BM)
    e = tl.arange(0, D)
    qs = tl.load(q + base + i[:, None] * stride_n + e[None, :], mask=(i < n)[:, None], other=0.0)
    m = tl.full([BM], value=float("-inf"), dtype=tl.float32)
    s = tl.zeros([BM], dtype=tl.float32)
    acc = tl.zeros([BM, D], dtype=tl.float32)
    for j0 in tl.range(0, n, BN):
        # what lies wholly ahead of the tile is skipped
        if (not CAUSAL) or (j0 < (tile + 1) * BM):
            j = j0 + tl.arange(0, BN)
            ks = tl.load(k + base + j[:, None] * stride_n + e[None, :], mask=(j < n)[:, None], other=0.0)
            x = tl.dot(qs, ks.T, input_precision="ieee") * scale
            if CAUSAL:
                x += tl.where(j[None, :] > i[:, None], float("-inf"), 0.0)
            mm = tl.maximum(m, tl.max(x, axis=1))
            p = tl.exp(x - mm[:, None])
            c = tl.exp(m - mm)
            s = c * s + tl.sum(p, axis=1)
            vs = tl.load(v + base + j[:, None] * stride_n + e[None, :], mask=(j < n)[:, None], other=0.0)
            acc = c[:, None] * acc + tl.dot(p.to(vs.dtype), vs, input_precision="ieee")
            m = mm
    tl.store(o + base + i[:, None] * stride_n + e[None, :], acc / s[:, None], mask=(i < n)[:, None])
    tl.store(lse + head * n + i, m + tl.log(s), mask=i < n)


def flash_fwd(query, key, value, causal=False):
    query, key, value = (t.contiguous() for t in (query, key, value))
    h, n, d = query.shape
    o = torch.empty_like(query)
    lse = torch.empty((h, n), device=query.device, dtype=torch.float32)
    fwd[(triton.cdiv(n, 32), h)](query, key, value, o, lse, n, d ** -0.5, query.stride(0), query.stride(1),
                                 BM=32, BN=32, D=d, CAUSAL=causal)
    return o
