from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn


class Params(NamedTuple):
    wq: Tensor
    wk: Tensor
    wv: Tensor


def attend_one(p: Params, query_row: Tensor, sequence: Tensor) -> Tensor:
    """One position of one sequence: (hidden_dim,), (length, hidden_dim) -> (hidden_dim,)"""
    scores = (sequence @ p.wk) @ (query_row @ p.wq) / sequence.shape[-1] ** 0.5
    return scores.softmax(dim=0) @ (sequence @ p.wv)


# every position of a sequence, then every sequence of a batch
attend_sequence = torch.vmap(attend_one, in_dims=(None, 0, None))
attend_batch = torch.vmap(lambda p, x: attend_sequence(p, x, x), in_dims=(None, 0))


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        for name in Params._fields:
            bound = hidden_dim**-0.5
            self.register_parameter(name, nn.Parameter(torch.empty(hidden_dim, hidden_dim).uniform_(-bound, bound)))

    def forward(self, x: Tensor) -> Tensor:
        return attend_batch(Params(self.wq, self.wk, self.wv), x)
