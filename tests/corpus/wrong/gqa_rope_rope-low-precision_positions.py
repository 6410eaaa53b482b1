# wrong: gqa-rope rope-low-precision line 38
import math
import torch
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):

    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.base = base
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def apply_rope(self, t, positions):
        half = self.head_dim // 2
        inv = [self.base ** (-2.0 * i / self.head_dim) for i in range(half)]
        angles = positions.unsqueeze(-1) * torch.tensor(inv, dtype=torch.float64, device=t.device)
        cos = torch.cos(angles).to(t.dtype)
        sin = torch.sin(angles).to(t.dtype)
        t1 = t[..., :half]
        t2 = t[..., half:]
        return torch.cat([t1 * cos - t2 * sin, t1 * sin + t2 * cos], dim=-1)

    def forward(self, x, cache=None):
        batch, length, _ = x.shape
        q = self.wq(x).reshape(batch, length, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        k = self.wk(x).reshape(batch, length, self.num_kv_heads, self.head_dim).permute(0, 2, 1, 3)
        v = self.wv(x).reshape(batch, length, self.num_kv_heads, self.head_dim).permute(0, 2, 1, 3)

        chunks = [] if cache is None else list(cache)
        seen = sum(c[0].size(2) for c in chunks)
        positions = torch.arange(seen, seen + length, device=x.device, dtype=x.dtype)
        q = self.apply_rope(q, positions)
        k = self.apply_rope(k, positions)
        chunks.append((k, v))

        keys = torch.cat([c[0] for c in chunks], dim=2)
        values = torch.cat([c[1] for c in chunks], dim=2)
        outs = []
        per_group = self.num_heads // self.num_kv_heads
        future = torch.arange(keys.size(2), device=x.device)[None, :] > torch.arange(seen, seen + length, device=x.device)[:, None]
        for h in range(self.num_heads):
            kh = keys[:, h // per_group]
            vh = values[:, h // per_group]
            s = torch.baddbmm(torch.zeros((), dtype=x.dtype, device=x.device), q[:, h], kh.transpose(1, 2), alpha=1 / math.sqrt(self.head_dim))
            s = s.masked_fill(future, -math.inf)
            outs.append(torch.bmm(torch.softmax(s, dim=-1), vh))
        return self.wo(torch.cat(outs, dim=-1)), tuple(chunks)
