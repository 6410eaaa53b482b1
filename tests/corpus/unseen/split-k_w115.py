import math
from typing import List, Tuple

import torch
from torch import Tensor


class ChunkResult:
    """Value object: normalised output of a chunk and the log-sum-exp of its scores."""

    def __init__(self, output: Tensor, lse: Tensor) -> None:
        self._output = output
        self._lse = lse

    def getOutput(self) -> Tensor:
        return self._output

    def getLse(self) -> Tensor:
        return self._lse


class ChunkService:

    @staticmethod
    def attend(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> ChunkResult:
        scores = torch.matmul(query, key.transpose(-1, -2)).float() if query.dtype in (
            torch.float16, torch.bfloat16) else torch.matmul(query, key.transpose(-1, -2))
        scores = scores / math.sqrt(query.size(-1))
        scores = scores.masked_fill(~seen[:, None, None, :], -math.inf)
        lse = torch.logsumexp(scores, dim=-1)
        weights = torch.softmax(scores, dim=-1)
        weights = weights.masked_fill((lse == -math.inf).unsqueeze(-1), 0.0)
        return ChunkResult(torch.matmul(weights.to(value.dtype), value), lse)


class MergeService:

    @staticmethod
    def combine(outputs: Tensor, lses: Tensor) -> ChunkResult:
        top = lses.amax(dim=0)
        top = torch.where(top == -math.inf, torch.zeros_like(top), top)
        shares = torch.exp(lses - top)
        total = shares.sum(dim=0)
        weighted = (shares.unsqueeze(-1) * outputs).sum(dim=0)
        divisor = torch.where(total == 0, torch.ones_like(total), total)
        return ChunkResult((weighted / divisor.unsqueeze(-1)).to(outputs.dtype), torch.log(total))


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> Tuple[Tensor, Tensor]:
    result = ChunkService.attend(query, key, value, seen)
    return result.getOutput(), result.getLse()


def merge(outputs: Tensor, lses: Tensor) -> Tuple[Tensor, Tensor]:
    result = MergeService.combine(outputs, lses)
    return result.getOutput(), result.getLse()


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    keyLength = key.size(2)
    chunkSize = -(-keyLength // splits)
    results: List[ChunkResult] = []
    for start in range(0, keyLength, chunkSize):
        end = min(start + chunkSize, keyLength)
        positions = torch.arange(start, end, device=key.device)
        seen = positions.unsqueeze(0) < lengths.unsqueeze(1)
        results.append(ChunkService.attend(query, key[:, :, start:end], value[:, :, start:end], seen))
    outputs = torch.stack([r.getOutput() for r in results])
    lses = torch.stack([r.getLse() for r in results])
    return MergeService.combine(outputs, lses).getOutput()
