# wrong: gqa-rope
import torch
import torch.nn as nn
import torch.nn.functional as F


class RotaryHead(nn.Module):
    def __init__(self, hidden_dim, head_size, base):
        super().__init__()
        self.lin = nn.Linear(hidden_dim, head_size, bias=False)
        self.freqs = [base ** (-2 * i / head_size) for i in range(head_size // 2)]

    def forward(self, x, start):
        y = self.lin(x)
        p = torch.arange(start, start + x.size(1), device=x.device, dtype=torch.float64)
        ang = torch.stack([p * w for w in self.freqs], dim=-1)
        cos, sin = ang.cos().to(y.dtype), ang.sin().to(y.dtype)
        a, b = y.tensor_split(2, dim=-1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        hs = hidden_dim // num_heads
        self.qs = nn.ModuleList(RotaryHead(hidden_dim, hs, base) for _ in range(num_heads))
        self.ks = nn.ModuleList(RotaryHead(hidden_dim, hs, base) for _ in range(num_kv_heads))
        self.vs = nn.ModuleList(nn.Linear(hidden_dim, hs, bias=False) for _ in range(num_kv_heads))
        self.out = nn.Linear(num_heads * hs, hidden_dim)
        self.share = num_heads // num_kv_heads

    def forward(self, x, cache=None):
        T = x.size(1)
        start = 0 if cache is None else cache[0]["k"].size(1)
        fresh = []
        for g, (key, value) in enumerate(zip(self.ks, self.vs)):
            k, v = key(x, start), value(x)
            if cache is not None:
                k = torch.cat([cache[g]["k"], k], dim=1)
                v = torch.cat([cache[g]["v"], v], dim=1)
            fresh.append({"k": k, "v": v})
        pieces = []
        for h, query in enumerate(self.qs):
            k, v = fresh[h // self.share]["k"], fresh[h // self.share]["v"]
            q = query(x, start)
            w = torch.bmm(q, k.transpose(1, 2)) / q.size(-1) ** 0.5
            hide = torch.ones(T, start + T, device=x.device, dtype=torch.bool).triu(diagonal=start + 1)
            w = F.softmax(w.masked_fill(hide, float("-inf")), dim=-1)
            pieces.append(torch.bmm(w, v).unsqueeze(0))
        y = torch.cat(pieces, dim=-1).squeeze()
        return self.out(y), fresh
