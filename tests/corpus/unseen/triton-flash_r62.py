import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def _fwd(Q, K, V, O, qh, qn, qd, kh, kn, kd, vh, vn, vd, oh, on, od, N, scale,
         D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    tile = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64)
    rows = tile * BM + tl.arange(0, BM)
    feat = tl.arange(0, D)
    row_ok = rows < N
    q = tl.load(Q + head * qh + rows[:, None] * qn + feat[None, :] * qd, mask=row_ok[:, None], other=0.0)
    peak = tl.full((BM,), -1.0e30, tl.float32)
    mass = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    end = N
    if CAUSAL:
        end = min(N, (tile + 1) * BM)
    for start in range(0, end, BN):
        cols = start + tl.arange(0, BN)
        col_ok = cols < N
        kt = tl.load(K + head * kh + feat[:, None] * kd + cols[None, :] * kn, mask=col_ok[None, :], other=0.0)
        v = tl.load(V + head * vh + cols[:, None] * vn + feat[None, :] * vd, mask=col_ok[:, None], other=0.0)
        s = tl.dot(q, kt, input_precision="ieee") * scale
        show = col_ok[None, :]
        if CAUSAL:
            show = show & (cols[None, :] <= rows[:, None])
        s = tl.where(show, s, float("-inf"))
        new = tl.maximum(peak, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        shrink = tl.exp(peak - new)
        mass = mass * shrink + tl.sum(p, 1)
        acc = acc * shrink[:, None] + tl.dot(p.to(v.dtype), v, input_precision="ieee")
        peak = new
    acc = acc / mass[:, None]
    tl.store(O + head * oh + rows[:, None] * on + feat[None, :] * od, acc.to(O.dtype.element_ty), mask=row_ok[:, None])


def triton_flash_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    heads, n, d = query.shape
    out = torch.empty((heads, n, d), dtype=query.dtype, device=query.device)
    strides = [s for t in (query, key, value, out) for s in t.stride()]
    _fwd[(triton.cdiv(n, 32), heads)](query, key, value, out, *strides, n, d ** -0.5,
                                      D=d, BM=32, BN=32, CAUSAL=bool(causal))
    return out
