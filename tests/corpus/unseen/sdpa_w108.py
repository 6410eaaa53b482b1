import math

import torch
from torch import Tensor


class Softmax:
    """exp over sum, kept in range."""

    def __init__(self, axis: int):
        self.axis = axis

    def __call__(self, x: Tensor) -> Tensor:
        x = x - x.amax(dim=-2, keepdim=True)
        e = torch.exp(x)
        return e / e.sum(dim=self.axis, keepdim=True)


class ScaledDotProduct:
    def __init__(self, head_dim: int):
        self.temperature = math.sqrt(head_dim)
        self.softmax = Softmax(axis=-1)

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        return torch.matmul(query / self.temperature, key.transpose(-2, -1))

    @staticmethod
    def causal(scores: Tensor) -> Tensor:
        rows, cols = scores.shape[-2:]
        keep = torch.ones(rows, cols, device=scores.device, dtype=torch.bool)
        return torch.tril(keep, diagonal=cols - rows)


def attention(query, key, value, mask=None, causal=False):
    sdp = ScaledDotProduct(query.shape[-1])
    scores = sdp.scores(query, key)
    low = torch.finfo(scores.dtype).min
    if mask is not None:
        scores = torch.where(mask.bool(), scores, low)
    if causal:
        scores = torch.where(sdp.causal(scores), scores, low)
    return torch.matmul(sdp.softmax(scores), value)
