import torch
from torch import Tensor, nn


class SelfAttentionV1(nn.Module):
    """softmax(Q K^T / sqrt d) V with scores from distances:

    q.k = (|q|^2 + |k|^2 - |q - k|^2) / 2, and |q|^2 is the same for a whole row, so it may go.
    """

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        for name in ("query", "key", "value"):
            self.add_module(name, nn.Linear(hidden_dim, hidden_dim))

    def forward(self, x: Tensor) -> Tensor:
        dtype = x.dtype
        q, k, v = (getattr(self, n)(x).double() for n in ("query", "key", "value"))
        # half of |k|^2 - |q - k|^2
        gap = q.unsqueeze(2) - k.unsqueeze(1)                          # (batch, queries, keys, hidden)
        logits = (k.square().sum(-1).unsqueeze(1) - gap.square().sum(-1)) / 2
        weights = torch.softmax(logits / self.hidden_dim**0.5, dim=2)
        return torch.einsum("bij,bjd->bid", weights, v).to(dtype)
