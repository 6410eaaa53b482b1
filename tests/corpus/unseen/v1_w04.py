import torch
from torch import Tensor, nn


class SelfAttentionV1(nn.Module):
    # One head.  N = batch, T = length, C = hidden_dim

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.proj = nn.ModuleList(nn.Linear(hidden_dim, hidden_dim) for _ in range(3))
        self.inv_sqrt_c = 1.0 / hidden_dim ** 0.5

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = [p(x) for p in self.proj]
        logits = (q * self.inv_sqrt_c) @ k.transpose(1, 2)
        # shift for stability; softmax is invariant to it, so no gradient is needed
        peak = logits.detach().max(dim=-1, keepdim=True).values
        numer = torch.exp(logits - peak)
        denom = torch.sum(numer, dim=-1, keepdim=True).detach()
        return (numer / denom) @ v
