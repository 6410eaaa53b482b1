# wrong: v1 softmax-wrong-axis line 20
import math
import torch
from torch import nn, Tensor


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, hidden_dim)
        self.to_v = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        # x: (batch, seq, dim)
        Q, K, V = self.to_q(x), self.to_k(x), self.to_v(x)
        # (batch, seq, seq)
        sim = torch.einsum('bid,bjd->bij', Q, K) / math.sqrt(self.hidden_dim)
        attn = torch.softmax(sim, dim=1)
        return torch.einsum('bij,bjd->bid', attn, V)
