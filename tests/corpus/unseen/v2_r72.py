# Cut is (value, query, key): order does not matter as long as it is consistent.
import typing as tp

import torch
import torch.nn as nn


class QKV(tp.NamedTuple):
    value: torch.Tensor
    query: torch.Tensor
    key: torch.Tensor


def _rowSoftmax(logits: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.log_softmax(logits, -1).exp()


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.Dense_0 = nn.Linear(hidden_dim, hidden_dim * 3, bias=True)
        self.Dense_1 = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.features = hidden_dim

    def _pack(self, x) -> QKV:
        fused = self.Dense_0(x)
        return QKV(*torch.tensor_split(fused, [self.features, 2 * self.features], dim=-1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        p = self._pack(x)
        A = _rowSoftmax(p.query.matmul(p.key.transpose(-1, -2)).div(self.features ** 0.5))
        return self.Dense_1(A.matmul(p.value))
