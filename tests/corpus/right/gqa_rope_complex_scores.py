# right: gqa-rope
from __future__ import annotations

import dataclasses

import torch
from torch import Tensor, nn


@dataclasses.dataclass(frozen=True)
class Past:
    keys: Tensor  # complex, (batch, kv, length, half), already turned
    values: Tensor  # real, (batch, kv, length, dim)

    def __len__(self) -> int:
        return self.values.size(-2)

    def plus(self, keys: Tensor, values: Tensor) -> Past:
        return Past(torch.cat((self.keys, keys), -2), torch.cat((self.values, values), -2))


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000) -> None:
        super().__init__()
        self.kv = num_kv_heads
        self.per = num_heads // num_kv_heads
        self.dim = hidden_dim // num_heads
        self.base = base
        wide = num_heads * self.dim
        # all four matrices are applied from the right, x @ W
        self.W_out = nn.Parameter(torch.empty(wide, hidden_dim))
        self.W_v = nn.Parameter(torch.empty(hidden_dim, num_kv_heads * self.dim))
        self.W_k = nn.Parameter(torch.empty(hidden_dim, num_kv_heads * self.dim))
        self.W_q = nn.Parameter(torch.empty(hidden_dim, wide))
        for p in self.parameters():
            nn.init.xavier_uniform_(p)

    def phase(self, start: int, length: int, device: torch.device) -> Tensor:
        i = torch.arange(self.dim // 2, device=device, dtype=torch.float64)
        p = torch.arange(start, start + length, device=device, dtype=torch.float64)
        return torch.exp(1j * p[:, None] * self.base ** (-2 * i / self.dim))

    def forward(self, x: Tensor, cache: Past | None = None) -> tuple[Tensor, Past]:
        b, n, _ = x.shape
        work = torch.promote_types(x.dtype, torch.float32)
        q = (x @ self.W_q).reshape(b, n, self.kv, self.per, 2, self.dim // 2).to(work)
        k = (x @ self.W_k).reshape(b, n, self.kv, 2, self.dim // 2).to(work)
        v = (x @ self.W_v).reshape(b, n, self.kv, self.dim).transpose(1, 2)
        start = 0 if cache is None else len(cache)
        turn = self.phase(start, n, x.device)
        q = torch.complex(q[..., 0, :], q[..., 1, :]).permute(0, 2, 3, 1, 4)
        k = torch.complex(k[..., 0, :], k[..., 1, :]).permute(0, 2, 1, 3)
        turn = turn.to(q.dtype)
        q, k = q * turn, k * turn
        now = Past(k, v) if cache is None else cache.plus(k, v)

        # (b, kv, per, n, m)
        score = torch.matmul(q, now.keys.conj().transpose(-1, -2).unsqueeze(2)).real / self.dim**0.5
        late = torch.ones(n, len(now), dtype=torch.bool, device=x.device).triu(start + 1)
        weight = score.masked_fill(late, float("-inf")).softmax(-1).to(x.dtype)
        y = weight @ now.values.unsqueeze(2)
        return y.permute(0, 3, 1, 2, 4).reshape(b, n, -1) @ self.W_out, now
