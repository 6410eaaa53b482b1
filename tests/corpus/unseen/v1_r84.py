import math
from functools import partial

from torch import nn


def _attend(scale, q, k, v):
    shares = (q @ k.swapaxes(1, 2)).div(scale).softmax(2)
    return shares @ v


class SelfAttentionV1(nn.Module):
    """The input width is found out at the first call (LazyLinear); the output width is known."""

    ROLES = ("query", "key", "value")

    def __init__(self, hidden_dim):
        super().__init__()
        self.project = nn.ModuleDict({role: nn.LazyLinear(hidden_dim) for role in self.ROLES})
        self.attend = partial(_attend, math.sqrt(hidden_dim))
        # lazily made weights are drawn here and now, so that an optimiser may be given them
        import torch

        with torch.no_grad():
            for role in self.ROLES:
                self.project[role](torch.zeros(1, hidden_dim))

    def forward(self, x):
        return self.attend(*(self.project[role](x) for role in self.ROLES))
