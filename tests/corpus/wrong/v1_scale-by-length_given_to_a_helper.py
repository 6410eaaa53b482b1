# wrong: v1 scale-by-length line 29
import math

import torch
from torch import Tensor, nn


def scaled_scores(q: Tensor, k: Tensor, width: int) -> Tensor:
    """(b, n, d) x (b, n, d) -> (b, n, n)"""
    return torch.bmm(q, k.transpose(1, 2)) / math.sqrt(width)


def mix(scores: Tensor, v: Tensor) -> Tensor:
    w = torch.softmax(scores, dim=-1)
    return torch.bmm(w, v)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        b, n, d = x.shape
        q, k, v = self.to_q(x), self.to_k(x), self.to_v(x)
        scores = scaled_scores(q, k, n)
        return mix(scores, v)
