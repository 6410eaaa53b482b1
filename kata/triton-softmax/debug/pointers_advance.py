import torch
import triton
import triton.language as tl


@triton.jit
def row_kernel(x, out, n, stride_xr, stride_xc, stride_or, stride_oc, CHUNK: tl.constexpr):
    row = tl.program_id(0)
    lane = tl.arange(0, CHUNK)
    n_chunks = tl.cdiv(n, CHUNK)

    # every lane keeps its own maximum and sum, they are merged after the loop
    m = tl.full((CHUNK,), float("-inf"), tl.float32)
    ptrs = x + row * stride_xr + lane * stride_xc
    for i in range(0, n_chunks):
        v = tl.load(ptrs, mask=i * CHUNK + lane < n, other=float("-inf"))
        m = tl.maximum(m, v.to(tl.float32))
        ptrs += CHUNK * stride_xc
    peak = tl.max(m, axis=0)

    acc = tl.zeros((CHUNK,), tl.float32)
    ptrs = x + row * stride_xr + lane * stride_xc
    for i in range(0, n_chunks):
        v = tl.load(ptrs, mask=i * CHUNK + lane < n, other=float("-inf"))
        acc += tl.exp(v.to(tl.float32) - peak)
        ptrs += CHUNK * stride_xc
    denom = tl.sum(acc, axis=0)

    ptrs = x + row * stride_xr + lane * stride_xc
    out_ptrs = out + row * stride_or + lane * stride_oc
    for i in range(0, n_chunks):
        keep = i * CHUNK + lane < n
        v = tl.load(ptrs, mask=keep, other=0.0).to(tl.float32)
        tl.store(out_ptrs, tl.exp(v - peak) / denom, mask=keep)
        ptrs += CHUNK * stride_xc
        out_ptrs += CHUNK * stride_oc


def row_softmax(x):
    rows, cols = x.size()
    out = torch.empty_like(x)
    chunk = min(512, triton.next_power_of_2(cols))
    grid = (rows,)
    row_kernel[grid](
        x, out, cols, x.stride(0), x.stride(1), out.stride(0), out.stride(1), CHUNK=chunk
    )
    return out
