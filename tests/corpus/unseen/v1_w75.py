import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    """Single head self attention."""

    def __init__(self, hidden_dim: int):
        super().__init__()
        self.W_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.scale = hidden_dim ** -0.5
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        queries, keys, values = self.W_q(x), self.W_k(x), self.W_v(x)
        scores = torch.bmm(queries, keys.permute(0, 2, 1)) * self.scale  # (b, n, n)
        alpha = self.softmax(scores)
        return torch.bmm(alpha, values)  # (b, n, d)
