from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class AttentionRequest:
    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor | None
    causal: bool

    @property
    def query_length(self) -> int:
        return self.query.size(-2)

    @property
    def key_length(self) -> int:
        return self.key.size(-2)

    @property
    def scale(self) -> float:
        return 1.0 / math.sqrt(self.query.size(-1))


class VisibilityResolver:
    """Decides which (query, key) pairs are visible; None means all of them."""

    def resolve(self, request: AttentionRequest) -> Tensor | None:
        visible: Tensor | None = None
        if request.mask is not None:
            visible = request.mask != 0
        elif request.causal:
            visible = self._look_back(request)
        return visible

    def _look_back(self, request: AttentionRequest) -> Tensor:
        offset = request.key_length - request.query_length
        rows = torch.arange(request.query_length, device=request.query.device)[:, None]
        columns = torch.arange(request.key_length, device=request.query.device)[None, :]
        return columns <= rows + offset


class AttentionEngine:
    def __init__(self, resolver: VisibilityResolver | None = None) -> None:
        self.resolver = resolver or VisibilityResolver()

    def run(self, request: AttentionRequest) -> Tensor:
        scores = request.query @ request.key.transpose(-2, -1) * request.scale
        visible = self.resolver.resolve(request)
        if visible is not None:
            scores = scores.masked_fill(~visible, torch.finfo(scores.dtype).min)
        return scores.softmax(dim=-1) @ request.value


_ENGINE = AttentionEngine()


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    return _ENGINE.run(AttentionRequest(query, key, value, mask, causal))
