import torch
from torch import nn, Tensor


def softmax_with_mask(s: Tensor, mask) -> Tensor:
    e = (s - s.amax(-1, keepdim=True)).exp()
    if mask is None:
        return e / e.sum(-1, keepdim=True)
    keep = mask.to(e.dtype)
    z = e.sum(-1, keepdim=True)
    return e * keep / z


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        d = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k = nn.Linear(hidden_dim, d, bias=False)
        self.v = nn.Linear(hidden_dim, d, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, attention_mask=None) -> Tensor:
        q = self.q(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)   # B H T d
        k = self.k(x)[:, None]                                             # B 1 T d
        v = self.v(x)[:, None]
        p = softmax_with_mask(q @ k.mT / q.size(-1) ** 0.5, attention_mask)
        return self.o((p @ v).transpose(1, 2).flatten(2))
