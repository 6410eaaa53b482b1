import math

import torch
import triton
import triton.language as tl
from torch import Tensor

LOG2E = 1.4426950408889634


@triton.jit
def _attend(q_desc, k_desc, v_desc, o_desc, qs0, qs1, qs2, ks0, ks1, ks2, vs0, vs1, vs2, os0, os1, os2,
            length, scale, CAUSAL: tl.constexpr, D: tl.constexpr, BQ: tl.constexpr, BK: tl.constexpr):  # fmt: skip
    tile = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64)
    row = tile * BQ + tl.arange(0, BQ)
    lane = tl.arange(0, D)
    q = tl.load(q_desc + head * qs0 + row[:, None] * qs1 + lane[None, :] * qs2, mask=row[:, None] < length, other=0.0)

    lse = tl.full((BQ,), -1.0e38, tl.float32)          # base 2, of all tiles so far
    acc = tl.zeros((BQ, D), tl.float32)                # normalised at all times
    stop = tl.minimum(length, (tile + 1) * BQ) if CAUSAL else length
    for start in range(0, stop, BK):
        col = start + tl.arange(0, BK)
        kt = tl.load(k_desc + head * ks0 + lane[:, None] * ks2 + col[None, :] * ks1, mask=col[None, :] < length, other=0.0)
        v = tl.load(v_desc + head * vs0 + col[:, None] * vs1 + lane[None, :] * vs2, mask=col[:, None] < length, other=0.0)
        s = tl.dot(q, kt, input_precision="ieee") * scale
        seen = (col < length)[None, :]
        if CAUSAL:
            seen = seen & (col[None, :] <= row[:, None])
        s = tl.where(seen, s, -1.0e38)
        top = tl.maximum(tl.max(s, 1), lse)
        p = tl.where(seen, tl.exp2(s - top[:, None]), 0.0)
        old = tl.exp2(lse - top)
        both = old + tl.sum(p, 1)
        share = old / both
        acc = acc * share[:, None] + tl.dot((p / both[:, None]).to(v.dtype), v, input_precision="ieee")
        lse = top + tl.log2(both)
    tl.store(o_desc + head * os0 + row[:, None] * os1 + lane[None, :] * os2,
             acc.to(o_desc.dtype.element_ty), mask=row[:, None] < length)  # fmt: skip


def triton_flash_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    heads, length, head_dim = query.shape
    out = torch.empty((heads, length, head_dim), dtype=query.dtype, device=query.device)
    bq, bk = 32, 64
    _attend[(triton.cdiv(length, bq), heads)](
        query, key, value, out, *query.stride(), *key.stride(), *value.stride(), *out.stride(),
        length, LOG2E / math.sqrt(head_dim), CAUSAL=causal, D=head_dim, BQ=bq, BK=bk,
    )  # fmt: skip
    return out
