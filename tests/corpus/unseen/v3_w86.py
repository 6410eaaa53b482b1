from torch import nn, Tensor
import torch


class AdditiveMask(nn.Module):
    def __init__(self, floor: float):
        super().__init__()
        self.floor = floor

    def forward(self, scores: Tensor, mask: Tensor | None) -> Tensor:
        if mask is None:
            return scores
        allowed = mask.to(scores.dtype)
        return scores + (1.0 - allowed) * self.floor


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.lin = nn.ModuleDict({n: nn.Linear(hidden_dim, hidden_dim) for n in "qkvo"})
        self.mask = AdditiveMask(floor=-1e4)
        self.dropout = nn.Dropout(dropout)
        self.inv = hidden_dim ** -0.5

    def forward(self, x, attention_mask=None):
        q, k, v = (self.lin[n](x) for n in "qkv")
        scores = self.mask(q @ k.mT, attention_mask) * self.inv
        # numerically safe softmax
        scores = scores - scores.max(dim=-1, keepdim=True).values
        weights = scores.exp()
        weights = self.dropout(weights)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        return self.lin["o"](weights @ v)
