# wrong: v1 softmax-missing line 20
# fair: softmax-missing 17 20
import math
import torch
from torch import nn, Tensor


class SelfAttention(nn.Module):
    def __init__(self, embed_dim: int) -> None:
        super().__init__()
        self.q = nn.Linear(embed_dim, embed_dim)
        self.k = nn.Linear(embed_dim, embed_dim)
        self.v = nn.Linear(embed_dim, embed_dim)
        self.norm_factor = 1 / math.sqrt(embed_dim)

    def scores(self, x: Tensor) -> Tensor:
        return torch.bmm(self.q(x), self.k(x).transpose(1, 2)) * self.norm_factor

    def forward(self, x: Tensor) -> Tensor:
        attn = self.scores(x)
        out: Tensor = torch.bmm(attn, self.v(x))
        return out
