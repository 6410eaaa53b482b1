import torch
import triton
import triton.language as tl


@triton.jit
def hide(s, i, j, n, CAUSAL: tl.constexpr):
    keep = j[None, :] < n
    if CAUSAL:
        keep = keep & (j[None, :] <= i[:, None])
    return tl.where(keep, s, -1.0e9)


@triton.jit
def kernel(q_ptr, k_ptr, v_ptr, o_ptr, sh, sn, sd, n, scale,
           D: tl.constexpr, B: tl.constexpr, CAUSAL: tl.constexpr):
    head = tl.program_id(0)
    tile = tl.program_id(1)
    lane = tl.arange(0, B)
    d = tl.arange(0, D)
    row = tile * B + lane
    q_off = head * sh + row[:, None] * sn + d[None, :] * sd
    q = tl.load(q_ptr + q_off, mask=row[:, None] < n, other=0.0).to(tl.float32) * scale
    m = tl.full((B,), -1.0e9, tl.float32)
    z = tl.zeros((B,), tl.float32)
    o = tl.zeros((B, D), tl.float32)
    for t in range(0, tl.cdiv(n, B)):
        col = t * B + lane
        kv_off = head * sh + col[:, None] * sn + d[None, :] * sd
        k = tl.load(k_ptr + kv_off, mask=col[:, None] < n, other=0.0).to(tl.float32)
        v = tl.load(v_ptr + kv_off, mask=col[:, None] < n, other=0.0).to(tl.float32)
        s = tl.dot(q, tl.trans(k), input_precision="ieee")
        s = hide(s, lane, col, n, CAUSAL)
        m2 = tl.maximum(m, tl.max(s, axis=1))
        e = tl.exp(s - m2[:, None])
        c = tl.exp(m - m2)
        z = z * c + tl.sum(e, axis=1)
        o = o * c[:, None] + tl.dot(e, v, input_precision="ieee")
        m = m2
    tl.store(o_ptr + q_off, (o / z[:, None]).to(o_ptr.dtype.element_ty), mask=row[:, None] < n)


def triton_flash_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, causal: bool = False):
    q, k, v = query.contiguous(), key.contiguous(), value.contiguous()
    out = torch.empty_like(q)
    heads, n, dim = q.shape
    kernel[(heads, triton.cdiv(n, 32))](q, k, v, out, *q.stride(), n, dim ** -0.5, D=dim, B=32, CAUSAL=causal)
    return out
