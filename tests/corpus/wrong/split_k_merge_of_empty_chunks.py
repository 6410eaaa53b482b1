# wrong: split-k empty-chunk-nan line 50
from __future__ import annotations

import math

import torch
from torch import Tensor


class ChunkedDecoder:
    """Keys and values of one cache, cut into chunks of equal size (the last may be shorter)."""

    def __init__(self, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> None:
        self.key, self.value, self.lengths = key, value, lengths
        self.chunk_size = math.ceil(key.shape[2] / splits)

    def chunks(self):
        for start in range(0, self.key.shape[2], self.chunk_size):
            stop = min(start + self.chunk_size, self.key.shape[2])
            index = torch.arange(start, stop, device=self.key.device)
            seen = index.unsqueeze(0) < self.lengths.unsqueeze(1)
            yield self.key[:, :, start:stop], self.value[:, :, start:stop], seen

    def __call__(self, query: Tensor) -> Tensor:
        results = [chunk_attention(query, k, v, seen) for k, v, seen in self.chunks()]
        merged, _ = merge(
            torch.stack([output for output, _ in results]),
            torch.stack([lse for _, lse in results]),
        )
        return merged


def _float(x: Tensor) -> Tensor:
    return x.to(torch.float32) if x.dtype in (torch.float16, torch.bfloat16) else x


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    scale = 1.0 / math.sqrt(query.shape[-1])
    scores = (_float(query) * scale) @ _float(key).transpose(-2, -1)
    scores = scores.masked_fill(~seen[:, None, None], float("-inf"))
    lse = torch.logsumexp(scores, dim=-1)
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    output = weights @ _float(value)
    return output.to(query.dtype), lse.to(query.dtype)


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    shares = torch.softmax(_float(lses), dim=0).unsqueeze(-1)
    merged = torch.sum(shares * _float(outputs), dim=0)
    return merged.to(outputs.dtype), torch.logsumexp(_float(lses), dim=0).to(lses.dtype)


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    decoder = ChunkedDecoder(_float(key), _float(value), lengths, splits)
    return decoder(_float(query)).to(query.dtype)
