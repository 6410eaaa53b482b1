import torch
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    """Complex numbers rotate; the cache keeps unrotated keys as (batch, length, kv, dim)."""

    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.kv, self.g = num_kv_heads, num_heads // num_kv_heads
        self.d = hidden_dim // num_heads
        self.base = float(base)
        # one fused layer, laid out group by group: g queries, one key, one value
        self.in_proj = nn.Linear(hidden_dim, num_kv_heads * (self.g + 2) * self.d)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def turn(self, t, positions):
        """t (batch, length, kv, heads, dim), positions (length,)"""
        wide = t.to(torch.promote_types(t.dtype, torch.float32))
        z = torch.complex(*wide.chunk(2, dim=-1))
        steps = torch.arange(0, self.d, 2, device=t.device, dtype=torch.float64) / self.d
        angle = positions.double()[:, None] / self.base**steps
        phase = torch.polar(torch.ones_like(angle), angle).to(z.dtype)
        z = z * phase[:, None, None, :]
        return torch.cat([z.real, z.imag], dim=-1).to(t.dtype)

    def forward(self, x, cache=None):
        b, n, c = x.shape
        block = self.in_proj(x).view(b, n, self.kv, self.g + 2, self.d)
        q, k, v = block.split([self.g, 1, 1], dim=3)
        if cache is not None:
            k, v = (torch.cat(pair, dim=1) for pair in zip(cache, (k, v)))
        total = k.size(1)
        pos = torch.arange(total, device=x.device)
        rq, rk = self.turn(q, pos[total - n :]), self.turn(k, pos)
        scores = torch.einsum("bikgd,bjkld->bkgij", rq, rk) / self.d**0.5
        scores = scores.masked_fill(pos[None, :] > pos[total - n :, None], torch.finfo(x.dtype).min)
        y = torch.einsum("bkgij,bjkld->bikgd", scores.softmax(-1), v)
        return self.out_proj(y.reshape(b, n, c)), (k, v)
