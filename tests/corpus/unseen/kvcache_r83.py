import math
import torch
from torch import Tensor, nn


class CachedSelfAttention(nn.Module):
    """The cache is a tuple of chunks, one for each call. They are never joined: every chunk is attended to
    by itself, and the results are folded together by their log-sum-exps."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.qkv = nn.Conv1d(hidden_dim, 3 * hidden_dim, 1, groups=1)
        self.out = nn.Conv1d(hidden_dim, hidden_dim, 1, bias=False)

    def _chunk(self, q: Tensor, kv: Tensor, newest: bool):
        k, v = kv[0], kv[1]
        s = torch.einsum("bhdi,bhdj->bhij", q, k)
        if newest:
            n = s.shape[-1]
            s = s.masked_fill(~torch.ones(n, n, dtype=torch.bool, device=s.device).tril(), -math.inf)
        lse = s.logsumexp(-1)
        return torch.einsum("bhij,bhdj->bhdi", (s - lse.unsqueeze(-1)).exp(), v), lse.unsqueeze(2)

    def forward(self, x: Tensor, cache: tuple[Tensor, ...] | None = None):
        batch, length, width = x.shape
        q, *kv = self.qkv(x.mT).view(batch, 3, self.num_heads, -1, length).unbind(1)
        q = q * q.shape[2] ** -0.5
        newest = torch.stack(kv)                                  # (2, batch, heads, d, length)
        out, lse = self._chunk(q, newest, True)
        for old in cache or ():
            y, other = self._chunk(q, old, False)
            total = torch.logaddexp(lse, other)
            out = torch.addcmul(out * (lse - total).exp(), y, (other - total).exp())
            lse = total
        merged = out.reshape(batch, width, length)
        return self.out(merged).mT, (*(cache or ()), newest)
