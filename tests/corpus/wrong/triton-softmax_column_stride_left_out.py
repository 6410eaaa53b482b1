# wrong: triton-softmax stride-ignored line 17
# fair: stride-ignored 16, 22, 23
from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_rows(
    inputs, outputs, num_cols, input_stride, output_stride, BLOCK: tl.constexpr
):
    """One row a program."""
    row = tl.program_id(axis=0)
    offsets = tl.arange(0, BLOCK)
    source = inputs + row * input_stride + offsets
    valid = offsets < num_cols
    logits = tl.load(source, mask=valid, other=float("-inf"))
    shifted = logits.to(tl.float32) - tl.max(logits, axis=0)
    weights = tl.exp(shifted)
    weights = weights / tl.sum(weights, axis=0)
    target = outputs + row * output_stride + offsets
    tl.store(target, weights, mask=valid)


def softmax(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    block = triton.next_power_of_2(x.shape[1])
    softmax_rows[(x.shape[0],)](x, out, x.shape[1], x.stride(0), out.stride(0), BLOCK=block)
    return out
