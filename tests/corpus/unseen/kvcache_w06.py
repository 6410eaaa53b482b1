from torch import arange, cat, nn


class CachedSelfAttention(nn.Module):
    """The cache is {"k": [...], "v": [...]}: lists of the pieces seen so far."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.to_qkv = nn.ModuleDict({n: nn.Linear(hidden_dim, hidden_dim) for n in ("q", "k", "v")})
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        parts = {n: f(x).unflatten(2, (self.heads, -1)).transpose(1, 2) for n, f in self.to_qkv.items()}
        store = {"k": [], "v": []} if cache is None else dict(cache)
        for name in ("k", "v"):
            store[name].append(parts[name])
        k, v = cat(store["k"], 2), cat(store["v"], 2)

        total, new = k.size(2), x.size(1)
        pos = arange(total, device=x.device)
        allowed = pos[None] <= pos[total - new :, None]
        sim = parts["q"] @ k.mT * (k.size(-1) ** -0.5)
        sim = sim.masked_fill(allowed.logical_not(), float("-inf"))
        y = (sim.softmax(-1) @ v).transpose(1, 2).flatten(2)
        return self.to_out(y), store
