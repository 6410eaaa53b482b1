import torch
from torch import Tensor, nn


def similarity(q: Tensor, k: Tensor) -> Tensor:
    """(b, t, d) x (b, s, d) -> (b, t, s), scaled."""
    return q.matmul(k.transpose(-1, -2)).div(q.size(-1) ** 0.5)


def hide(scores: Tensor, allowed: Tensor | None) -> Tensor:
    if allowed is None:
        return scores
    fill = torch.finfo(scores.dtype).tiny
    return torch.where(allowed.bool(), scores, fill)


def normalise(scores: Tensor) -> Tensor:
    return scores.softmax(dim=-1)


def mix(weights: Tensor, v: Tensor) -> Tensor:
    return weights.matmul(v)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, hidden_dim)
        self.to_v = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        scores = similarity(self.to_q(x), self.to_k(x))
        weights = normalise(hide(scores, attention_mask))
        return mix(self.drop(weights), self.to_v(x))
