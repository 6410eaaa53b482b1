"""FlashAttention's forward pass in Triton: one program for each tile of queries of a head."""

import math

import torch
import triton
import triton.language as tl


@triton.jit
def flash_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr,
    q_head, q_row, q_column,
    k_head, k_row, k_column,
    v_head, v_row, v_column,
    o_head, o_row, o_column,
    length, scale,
    HEAD_DIM: tl.constexpr, CAUSAL: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr,
):  # fmt: skip
    first = tl.program_id(0) * QUERIES
    # In 64 bits: with many heads the offset goes beyond what 32 hold.
    head = tl.program_id(1).to(tl.int64)
    rows = first + tl.arange(0, QUERIES)
    width = tl.arange(0, HEAD_DIM)
    there = rows[:, None] < length

    q_ptrs = q_ptr + head * q_head
    q_ptrs += rows[:, None] * q_row + width[None, :] * q_column
    queries = tl.load(q_ptrs, mask=there, other=0.0)
    highest = tl.full((QUERIES,), float("-inf"), tl.float32)
    total = tl.zeros((QUERIES,), tl.float32)
    gathered = tl.zeros((QUERIES, HEAD_DIM), tl.float32)

    # Keys behind the tile's last query are seen by none of its queries.
    stop = tl.minimum(first + QUERIES, length) if CAUSAL else length
    for start in range(0, stop, KEYS):
        columns = start + tl.arange(0, KEYS)
        k_ptrs = k_ptr + head * k_head
        k_ptrs += width[:, None] * k_column + columns[None, :] * k_row
        keys = tl.load(k_ptrs, mask=columns[None, :] < length, other=0.0)
        scores = tl.dot(queries, keys, input_precision="ieee") * scale
        # The lanes left over are no keys.
        seen = columns[None, :] < length
        if CAUSAL:
            seen = seen & (columns[None, :] <= rows[:, None])
        scores = tl.where(seen, scores, float("-inf"))

        new_highest = tl.maximum(highest, tl.max(scores, axis=1))
        exps = tl.exp(scores - new_highest[:, None])
        rescale = tl.exp(highest - new_highest)
        total = total * rescale + tl.sum(exps, axis=1)
        v_ptrs = v_ptr + head * v_head
        v_ptrs += columns[:, None] * v_row + width[None, :] * v_column
        values = tl.load(v_ptrs, mask=columns[:, None] < length, other=0.0)
        gathered = gathered * rescale[:, None]
        gathered += tl.dot(exps.to(values.dtype), values, input_precision="ieee")
        highest = new_highest

    output = gathered / total[:, None]
    o_ptrs = o_ptr + head * o_head
    o_ptrs += rows[:, None] * o_row + width[None, :] * o_column
    tl.store(o_ptrs, output, mask=there)


def triton_flash_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, causal: bool = False
) -> torch.Tensor:
    """Attend to a tile of keys at a time; all tensors are (heads, length, head_dim)."""
    heads, length, head_dim = query.shape
    output = torch.empty_like(query)
    queries = keys = 32
    grid = (triton.cdiv(length, queries), heads)
    flash_kernel[grid](
        query, key, value, output,
        *query.stride(), *key.stride(), *value.stride(), *output.stride(),
        length, 1 / math.sqrt(head_dim),
        HEAD_DIM=head_dim, CAUSAL=causal, QUERIES=queries, KEYS=keys,
    )  # fmt: skip
    return output
