# attn-kata: backward
from __future__ import annotations

import math
from abc import ABC, abstractmethod

import torch
from torch import Tensor


class Visibility(ABC):
    @abstractmethod
    def hide(self, numerators: Tensor) -> Tensor:
        """Zeroes the numerators of keys that a query does not see."""


class Everything(Visibility):
    def hide(self, numerators: Tensor) -> Tensor:
        return numerators


class UpToOwnPosition(Visibility):
    def hide(self, numerators: Tensor) -> Tensor:
        query_length, key_length = numerators.shape[-2:]
        return numerators.tril(key_length - query_length)


VISIBILITIES: dict[bool, Visibility] = {False: Everything(), True: UpToOwnPosition()}


class AttentionGradients:
    def __init__(self, visibility: Visibility) -> None:
        self.visibility = visibility

    def weights(self, scores: Tensor) -> Tensor:
        scores = scores - scores.amax(dim=-1, keepdim=True)
        numerators = self.visibility.hide(scores.exp())
        return numerators / numerators.sum(dim=-1, keepdim=True)

    def __call__(
        self, query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        root = math.sqrt(query.size(-1))
        weights = self.weights(torch.einsum("bhqd,bhkd->bhqk", query, key) / root)

        grad_weights = torch.einsum("bhqv,bhkv->bhqk", grad_output, value)
        flow = weights * grad_weights
        grad_scores = flow - weights * flow.sum(dim=-1, keepdim=True)

        return (
            torch.einsum("bhqk,bhkd->bhqd", grad_scores, key) / root,
            torch.einsum("bhqk,bhqd->bhkd", grad_scores, query) / root,
            torch.einsum("bhqk,bhqv->bhkv", weights, grad_output),
        )


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    return AttentionGradients(VISIBILITIES[bool(causal)])(query, key, value, grad_output)
