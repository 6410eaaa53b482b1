import math

import torch
from torch import Tensor


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    scores = query @ key.mT / math.sqrt(query.size(-1))
    scores = scores.masked_fill(~seen[:, None, None, :], -math.inf)
    top = scores.amax(dim=-1, keepdim=True)
    top = top.masked_fill(top == -math.inf, 0.0)
    e = (scores - top).exp()
    total = e.sum(dim=-1, keepdim=True)
    output = (e @ value) / total.masked_fill(total == 0, 1.0)
    return output, (total.log() + top).squeeze(-1)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    top = lses.amax(dim=0)
    top = top.masked_fill(top == -math.inf, 0.0)
    share = (lses - top).exp()
    total = share.sum(dim=0)
    merged = (outputs * share.unsqueeze(-1)).sum(dim=0)
    return merged / total.masked_fill(total == 0, 1.0).unsqueeze(-1), total.log() + top


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    places = torch.arange(key.size(2), device=key.device)
    seen = places < lengths.unsqueeze(1)
    parts = zip(
        torch.tensor_split(key, splits, dim=2),
        torch.tensor_split(value, splits, dim=2),
        torch.tensor_split(seen, splits, dim=1),
    )
    pieces = [chunk_attention(query, k, v, s) for k, v, s in parts]
    outputs, lses = (torch.stack(column) for column in zip(*pieces))
    return merge(outputs, lses)[0]
