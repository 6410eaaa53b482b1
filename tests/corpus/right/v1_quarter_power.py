# right: v1
import torch
from torch import Tensor, nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int):
        super().__init__()
        self.a = nn.Linear(hidden_dim, hidden_dim)
        self.b = nn.Linear(hidden_dim, hidden_dim)
        self.c = nn.Linear(hidden_dim, hidden_dim)

    @property
    def root4(self) -> float:
        return float(self.a.out_features) ** -0.25

    def forward(self, x: Tensor) -> Tensor:
        # split the 1/sqrt(d) between both sides so fp16 is happier (whisper does that)
        left = self.a(x) * self.root4
        right = (self.b(x) * self.root4).transpose(-2, -1)
        return (left @ right).log_softmax(-1).exp() @ self.c(x)
