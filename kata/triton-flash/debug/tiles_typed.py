"""FlashAttention's forward pass: tiles are loaded by a function of their own, programs lie flat."""

from __future__ import annotations

import math

import torch
import triton
import triton.language as tl
from torch import Tensor

QUERIES: int = 32
KEYS: int = 64


@triton.jit
def load_tile(ptr, rows, row_stride, column_stride, length, DIM: tl.constexpr):
    """Rows of one head, with zeros where there are none."""
    ptrs = ptr + rows[:, None] * row_stride + tl.arange(0, DIM)[None, :] * column_stride
    return tl.load(ptrs, mask=rows[:, None] < length, other=0.0)


@triton.jit
def flash_forward(
    q_ptr, k_ptr, v_ptr, o_ptr, length, tiles, scale,
    q_head, q_row, q_column, k_head, k_row, k_column,
    v_head, v_row, v_column, o_head, o_row, o_column,
    DIM: tl.constexpr, CAUSAL: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr,
):
    head = tl.program_id(0) // tiles
    first = tl.program_id(0) % tiles * QUERIES
    rows = first + tl.arange(0, QUERIES)
    queries = load_tile(q_ptr + head * q_head, rows, q_row, q_column, length, DIM)

    highest = tl.full((QUERIES,), float("-inf"), tl.float32)
    total = tl.zeros((QUERIES,), tl.float32)
    output = tl.zeros((QUERIES, DIM), tl.float32)

    stop = first + QUERIES if CAUSAL else length
    for start in range(0, stop, KEYS):
        columns = start + tl.arange(0, KEYS)
        keys = load_tile(k_ptr + head * k_head, columns, k_row, k_column, length, DIM)
        values = load_tile(v_ptr + head * v_head, columns, v_row, v_column, length, DIM)
        scores = tl.dot(queries, tl.trans(keys), input_precision="ieee") * scale
        if CAUSAL:
            scores = tl.where(columns[None, :] <= rows[:, None], scores, float("-inf"))
        scores = tl.where(columns[None, :] < length, scores, float("-inf"))

        new_highest = tl.maximum(highest, tl.max(scores, axis=1))
        weights = tl.exp(scores - new_highest[:, None])
        rescale = tl.exp(highest - new_highest)
        highest = new_highest
        total = rescale * total + tl.sum(weights, axis=1)
        mixed = tl.dot(weights.to(values.dtype), values, input_precision="ieee")
        output = rescale[:, None] * output + mixed

    o_ptrs = o_ptr + head * o_head + rows[:, None] * o_row
    o_ptrs += tl.arange(0, DIM)[None, :] * o_column
    output = (output / total[:, None]).to(o_ptr.dtype.element_ty)
    tl.store(o_ptrs, output, mask=rows[:, None] < length)


def triton_flash_attention(
    query: Tensor, key: Tensor, value: Tensor, causal: bool = False
) -> Tensor:
    """Attend within each head; all tensors are (heads, length, head_dim)."""
    heads, length, dim = query.shape
    output: Tensor = torch.empty(query.shape, dtype=query.dtype, device=query.device)
    tiles: int = triton.cdiv(length, QUERIES)
    scale: float = 1.0 / math.sqrt(dim)
    grid: tuple[int, ...] = (heads * tiles,)
    flash_forward[grid](
        query, key, value, output, length, tiles, scale,
        *query.stride(), *key.stride(), *value.stride(), *output.stride(),
        DIM=dim, CAUSAL=causal, QUERIES=QUERIES, KEYS=KEYS,
    )
    return output
