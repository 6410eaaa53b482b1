# wrong: split-k lse-of-some line 21
from __future__ import annotations

import torch
from torch import Tensor


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    wide = torch.promote_types(query.dtype, torch.float32)
    scores = torch.einsum("bhqd,bhkd->bhqk", query.to(wide), key.to(wide)) * query.shape[-1] ** -0.5
    scores = scores.where(seen[:, None, None], scores.new_tensor(-torch.inf))
    lse = scores.logsumexp(-1)
    weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
    chunk_output = torch.einsum("bhqk,bhkd->bhqd", weights, value.to(wide))
    return chunk_output.to(value.dtype), lse.to(query.dtype)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    shares = torch.softmax(lses, dim=0).nan_to_num(0.0)
    merged = torch.einsum("sbhq,sbhqd->bhqd", shares, outputs)
    merged_lse = lses[0] if len(lses) == 1 else torch.logaddexp(lses[0], lses[-1])
    return merged, merged_lse


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    places = torch.arange(key.shape[2], device=key.device)
    seen = places < lengths[:, None]
    chunks = zip(
        key.tensor_split(splits, dim=2), value.tensor_split(splits, dim=2), seen.tensor_split(splits, dim=1)
    )
    done = [chunk_attention(query, k, v, s) for k, v, s in chunks if k.shape[2]]
    outputs, lses = map(torch.stack, zip(*done))
    return merge(outputs, lses)[0]
