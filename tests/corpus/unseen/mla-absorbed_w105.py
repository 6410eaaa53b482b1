from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

import torch
from torch import Tensor


class RotaryEmbedding:
    BASE = 10_000.0

    def __init__(self, dimension: int) -> None:
        self._half = dimension // 2
        self._dimension = dimension

    def _angles(self, positions: Tensor) -> Tensor:
        index = torch.arange(self._half, device=positions.device, dtype=torch.float64)
        return torch.mul(positions.double().unsqueeze(-1), self.BASE ** (-2 * index / self._dimension))

    def rotate(self, vectors: Tensor, positions: Tensor) -> Tensor:
        angles = self._angles(positions)
        cosine, sine = angles.cos().to(vectors.dtype), angles.sin().to(vectors.dtype)
        first, second = vectors[..., : self._half], vectors[..., self._half :]
        rotated = torch.empty_like(vectors)
        rotated[..., : self._half] = first * cosine - second * sine
        rotated[..., self._half :] = second * cosine + first * sine
        return rotated


class UpProjection:
    """The weight of kv_b_proj, taken apart."""

    def __init__(self, weight: Tensor, numHeads: int) -> None:
        keys, values = weight.tensor_split(2, dim=0)
        self.keys = keys.unflatten(0, (numHeads, -1))
        self.values = values.unflatten(0, (numHeads, -1))


class LatentMemory:
    def __init__(self, cache: Tensor, lengths: Tensor, latentDim: int) -> None:
        self.places = torch.arange(cache.size(1), device=cache.device)
        unused = self.places.unsqueeze(0) >= lengths.unsqueeze(1)
        self.entries = cache.masked_fill(unused.unsqueeze(-1), 0)
        self.latents = self.entries[..., :latentDim]

    @contextmanager
    def restrictedTo(self, queryPositions: Tensor) -> Iterator["_View"]:
        yield _View(self, self.places.view(1, 1, -1) > queryPositions.unsqueeze(-1))


class _View:
    def __init__(self, memory: LatentMemory, hidden: Tensor) -> None:
        self._memory = memory
        self._hidden = hidden

    def read(self, query: Tensor, scale: float) -> Tensor:
        scores = torch.matmul(query, self._memory.entries.transpose(-2, -1)).mul(scale)
        weights = scores.masked_fill(self._hidden, float("-inf")).softmax(dim=-1)
        return torch.matmul(weights, self._memory.latents)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    working = torch.promote_types(latent.dtype, torch.float32)
    rotated = RotaryEmbedding(key_rope.size(-1)).rotate(key_rope.to(working), positions)
    return torch.cat((latent, rotated.to(latent.dtype)), dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    working = torch.promote_types(cache.dtype, torch.float32)
    _, numHeads, queryLength, headDim = query_content.shape
    ropeDim = query_rope.size(-1)
    rotary = RotaryEmbedding(ropeDim)
    up = UpProjection(kv_up, numHeads)
    memory = LatentMemory(cache.to(working), lengths, cache.size(-1) - ropeDim)
    offsets = torch.arange(queryLength, device=cache.device)
    queryPositions = (lengths - queryLength).unsqueeze(1) + offsets
    scale = float(headDim + ropeDim) ** -0.5

    contexts = []
    with memory.restrictedTo(queryPositions) as view:
        for content, rope, keyUp, valueUp in zip(
            query_content.unbind(1), query_rope.unbind(1), up.keys, up.values
        ):
            absorbed = torch.matmul(content.to(working), keyUp.to(working))
            rotated = rotary.rotate(rope.to(working), queryPositions)
            mixed = view.read(torch.cat((absorbed, rotated), dim=-1), scale)
            contexts.append(torch.matmul(mixed, valueUp.to(working).t()))
    return torch.stack(contexts, dim=1).to(query_content.dtype)
