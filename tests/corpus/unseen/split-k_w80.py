from __future__ import annotations

import torch
from torch import Tensor

NEG_INF = float("-inf")


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor):
    scores = torch.matmul(query, key.transpose(-2, -1)).mul(query.shape[-1] ** -0.5)
    scores = scores.masked_fill(seen.logical_not()[:, None, None], NEG_INF)
    lse = torch.logsumexp(scores, dim=-1)
    weights = torch.softmax(scores, dim=-1)
    weights = torch.where(seen.any(-1)[:, None, None, None], weights, 0.0)
    return torch.matmul(weights, value), lse


def merge(outputs: Tensor, lses: Tensor):
    alive = lses > NEG_INF
    if not alive.any():
        return torch.zeros_like(outputs[0]), lses[0].clone()
    peak = lses[alive].max()
    numer = (lses - peak).exp()  # 0 for an empty chunk
    denom = numer.sum(dim=0)
    share = numer / denom.masked_fill(denom == 0, 1.0)
    merged = (share[..., None] * outputs).sum(dim=0)
    return merged, denom.log() + peak


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int):
    place = torch.arange(key.shape[2], device=key.device)
    seen = place < lengths.unsqueeze(1)
    parts = [
        chunk_attention(query, key[:, :, idx], value[:, :, idx], seen[:, idx])
        for idx in place.tensor_split(splits)
        if idx.numel()
    ]
    merged, _ = merge(torch.stack([o for o, _ in parts]), torch.stack([l for _, l in parts]))
    return merged
