import math
import torch
from torch import Tensor, nn


def _attend(q: Tensor, k: Tensor, v: Tensor, hidden: Tensor | None = None):
    """-> what the keys give, and the log-sum-exp with which it counts"""
    s = q @ k.mT
    if hidden is not None:
        s = s.masked_fill(hidden, -math.inf)
    lse = torch.logsumexp(s, -1, keepdim=True)
    return torch.exp(s - lse) @ v, lse


class CausalSelfAttention(nn.Module):
    """Causality by halves: the second half sees all of the first, and each half is causal in itself.

    Only the leaves, of LEAF positions at most, have a mask.
    """

    LEAF = 4

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads, self.block_size = num_heads, block_size
        self.kqv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.register_buffer("later", torch.ones(self.LEAF, self.LEAF, dtype=torch.bool).triu(1), persistent=False)

    def _causal(self, q, k, v):
        n = q.shape[-2]
        if n <= self.LEAF:
            return _attend(q, k, v, self.later[:n, :n])
        h = n // 2
        (q1, q2), (k1, k2), (v1, v2) = (t.split([h, n - h], dim=-2) for t in (q, k, v))
        first, first_lse = self._causal(q1, k1, v1)
        own, own_lse = self._causal(q2, k2, v2)
        past, past_lse = _attend(q2, k1, v1)
        share = torch.sigmoid(own_lse - past_lse)                 # of its own half
        second = torch.lerp(past, own, share)
        return torch.cat([first, second], -2), torch.cat([first_lse, torch.logaddexp(own_lse, past_lse)], -2)

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        if t > self.block_size:
            raise ValueError(f"{t} positions do not fit in a block of {self.block_size}")
        k, q, v = self.kqv(x).view(b, t, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        y, _ = self._causal(q / math.sqrt(q.shape[-1]), k, v)
        return y.transpose(1, 2).reshape(b, t, c)
