from __future__ import annotations

import torch
from torch import Tensor, nn


class QKNormAttention(nn.Module):
    """Both gains and both projections in one: q and k travel together until the product."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.qk = nn.Conv1d(hidden_dim, 2 * hidden_dim, 1)
        self.v = nn.Conv1d(hidden_dim, hidden_dim, 1, bias=False)
        self.o = nn.Conv1d(hidden_dim, hidden_dim, 1)
        self.query_gain = nn.Parameter(torch.ones(hidden_dim // num_heads))
        self.key_gain = nn.Parameter(torch.ones(hidden_dim // num_heads))

    @property
    def gains(self) -> Tensor:
        return torch.stack([self.query_gain, self.key_gain])[:, None, :, None]       # 2 1 d 1

    def forward(self, x: Tensor) -> Tensor:
        signal = x.transpose(1, 2)                                                    # b c t
        h = self.num_heads
        both = self.qk(signal).unflatten(1, (2, h, -1))                               # b 2 h d t
        wide = both.double() if both.dtype == torch.float64 else both.float()
        length = torch.linalg.vector_norm(wide, dim=3, keepdim=True)                  # of each head's vector
        d = both.size(3)
        both = (wide / torch.sqrt(length.square() / d + 1e-6)).to(both.dtype) * self.gains
        q, k = both.unbind(1)                                                         # b h d t
        v = self.v(signal).unflatten(1, (h, d))
        s = torch.einsum("bhdi,bhdj->bhij", q, k) / d**0.5
        t = x.size(1)
        s = s - s.new_full((t, t), torch.inf).triu(1)
        y = torch.einsum("bhij,bhdj->bhdi", s.softmax(-1), v)
        return self.o(y.flatten(1, 2)).transpose(1, 2)
