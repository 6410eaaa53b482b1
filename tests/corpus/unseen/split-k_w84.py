import math
import torch
from torch import Tensor


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor):
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key).to(torch.promote_types(query.dtype, torch.float32))
    scores = scores / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(seen[:, None, None, :].logical_not(), -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights.to(value.dtype) @ value, torch.logsumexp(scores, dim=-1)


def merge(outputs: Tensor, lses: Tensor):
    total = torch.logsumexp(lses, dim=0)
    share = torch.exp(lses - total).nan_to_num(nan=0.0)
    merged = torch.einsum("sbhq,sbhqd->bhqd", share.to(outputs.dtype), outputs)
    return merged, total


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    keys = torch.tensor_split(key, splits, dim=2)
    values = torch.tensor_split(value, splits, dim=2)
    places = torch.tensor_split(torch.arange(key.shape[2], device=key.device), splits)
    results = [chunk_attention(query, k, v, p[None, :] < lengths[:, None])
               for k, v, p in zip(keys, values, places) if p.numel() > 0]
    outs, lses = zip(*results)
    return merge(torch.stack(outs), torch.stack(lses))[0]
