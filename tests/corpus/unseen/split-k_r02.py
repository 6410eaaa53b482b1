# attn-kata: split-k
from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

NEG_INF = float("-inf")


class Partial(NamedTuple):
    """What is known after some of the keys."""

    output: Tensor
    lse: Tensor


def wide(tensor: Tensor) -> Tensor:
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    seen = seen[:, None, None, :]
    scores = torch.matmul(wide(query), wide(key).mT) * query.shape[-1] ** -0.5
    scores = torch.where(seen, scores, torch.full_like(scores, NEG_INF))
    top = scores.amax(dim=-1, keepdim=True)
    top = torch.where(top == NEG_INF, torch.zeros_like(top), top)
    exps = torch.exp(scores - top)  # 0 where hidden
    total = exps.sum(dim=-1, keepdim=True)
    values = wide(value).masked_fill(~seen.mT, 0)
    output = torch.matmul(exps, values) / torch.where(total == 0, torch.ones_like(total), total)
    lse = (torch.log(total) + top).squeeze(-1)  # log 0 is -inf: just what is asked for
    return output.to(query.dtype), lse.to(query.dtype)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    numbers = wide(lses)
    top = numbers.max(dim=0).values
    top = top.masked_fill(top == NEG_INF, 0)
    shares = torch.exp(numbers - top)
    total = shares.sum(dim=0)
    normal = shares / total.masked_fill(total == 0, 1)
    merged = torch.einsum("sbhq,sbhqd->bhqd", normal, wide(outputs))
    return merged.to(outputs.dtype), (top + total.log()).to(lses.dtype)


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    places = torch.arange(key.shape[2], device=key.device)
    so_far: Partial | None = None
    for own in places.tensor_split(splits):
        if own.numel() == 0:  # more splits than keys
            continue
        first, last = int(own[0]), int(own[-1]) + 1
        seen = own[None, :] < lengths.to(key.device)[:, None]
        chunk = Partial(
            *chunk_attention(
                wide(query), wide(key[:, :, first:last]), wide(value[:, :, first:last]), seen
            )
        )
        if so_far is None:
            so_far = chunk
        else:
            outputs = torch.stack([so_far.output, chunk.output])
            lses = torch.stack([so_far.lse, chunk.lse])
            so_far = Partial(*merge(outputs, lses))
    return so_far.output.to(query.dtype)
