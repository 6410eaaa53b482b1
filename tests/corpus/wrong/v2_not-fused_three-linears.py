# wrong: v2 not-fused line 12
# fair: not-fused 12 13 14 18
import math
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int = 512):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.W_q = nn.Linear(hidden_dim, hidden_dim)
        self.W_k = nn.Linear(hidden_dim, hidden_dim)
        self.W_v = nn.Linear(hidden_dim, hidden_dim)
        self.W_o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query = self.W_q(x)
        key = self.W_k(x)
        value = self.W_v(x)
        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(self.hidden_dim)
        probs = nn.functional.softmax(scores, dim=-1)
        return self.W_o(torch.matmul(probs, value))
