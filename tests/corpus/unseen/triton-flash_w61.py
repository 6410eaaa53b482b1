from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

TILE = 32


@triton.jit
def load_rows(ptr, rows, row_stride, length, WIDTH: tl.constexpr):
    columns = tl.arange(0, WIDTH)
    where = rows.to(tl.int64)[:, None] * row_stride + columns[None, :]
    return tl.load(ptr + where, mask=rows[:, None] < length, other=0.0)


@triton.jit
def flash_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, length, head_stride, row_stride, scale,
    CAUSAL: tl.constexpr, WIDTH: tl.constexpr, TILE: tl.constexpr,
):
    offset = tl.program_id(0).to(tl.int64) * head_stride
    tile = tl.program_id(1)
    queries = tile * TILE + tl.arange(0, TILE)
    q = load_rows(q_ptr + offset, queries, row_stride, length, WIDTH)

    # what each query has so far
    biggest = tl.full((TILE,), float("-inf"), dtype=tl.float32)
    denominator = tl.zeros((TILE,), dtype=tl.float32)
    numerator = tl.zeros((TILE, WIDTH), dtype=tl.float32)

    tiles = tl.cdiv(length, TILE)
    if CAUSAL:
        tiles = tile + 1
    for j in range(0, tiles):
        keys = j * TILE + tl.arange(0, TILE)
        k = load_rows(k_ptr + offset, keys, row_stride, length, WIDTH)
        v = load_rows(v_ptr + offset, keys, row_stride, length, WIDTH)
        scores = scale * tl.dot(q, tl.trans(k), input_precision="ieee")
        if CAUSAL:
            scores = tl.where(keys[None, :] <= queries[:, None], scores, float("-inf"))
        grown = tl.maximum(biggest, tl.max(scores, axis=1))
        weights = tl.exp(scores - grown[:, None])
        correction = tl.exp(biggest - grown)
        denominator = denominator * correction + tl.sum(weights, axis=1)
        numerator = numerator * correction[:, None]
        numerator += tl.dot(weights.to(v.dtype), v, input_precision="ieee")
        biggest = grown

    result = numerator / denominator[:, None]
    columns = tl.arange(0, WIDTH)
    where = offset + queries.to(tl.int64)[:, None] * row_stride + columns[None, :]
    tl.store(out_ptr + where, result.to(out_ptr.dtype.element_ty), mask=queries[:, None] < length)


def triton_flash_attention(
    query: Tensor, key: Tensor, value: Tensor, causal: bool = False
) -> Tensor:
    query, key, value = (t.contiguous() for t in (query, key, value))
    heads, length, head_dim = query.shape
    out = torch.empty_like(query)
    flash_kernel[(heads, triton.cdiv(length, TILE))](
        query, key, value, out, length, query.stride(0), query.stride(1),
        head_dim**-0.5,
        CAUSAL=causal, WIDTH=head_dim, TILE=TILE,
    )
    return out
