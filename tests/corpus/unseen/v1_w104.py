import torch
from torch import nn, Tensor


class SelfAttentionV1(nn.Module):
    """One sample at a time, so that everything is a plain matrix."""

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.root = hidden_dim**0.5

    def _attend_one(self, sample: Tensor) -> Tensor:
        q, k, v = self.to_q(sample), self.to_k(sample), self.to_v(sample)
        s = q.mm(k.t()) / self.root
        top, _ = s.max(dim=1, keepdim=True)
        e = (s - top).exp()
        z = e.sum(dim=1)
        w = e / z
        return w.mm(v)

    def forward(self, x: Tensor) -> Tensor:
        return torch.stack([self._attend_one(sample) for sample in x])
