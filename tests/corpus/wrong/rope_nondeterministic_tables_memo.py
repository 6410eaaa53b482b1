# wrong: rope nondeterministic line 17
# fair: nondeterministic 13, 17
import torch


class _Tables:
    """cos/sin tables are the same for every layer, so build them once and share them."""

    def __init__(self):
        self._store = {}

    def get(self, positions, head_dim, base):
        key = (positions.shape[0], head_dim, float(base), positions.device)
        if key not in self._store:
            inv_freq = base ** (-torch.arange(0, head_dim, 2, device=positions.device).double() / head_dim)
            freqs = torch.outer(positions.double(), inv_freq)
            self._store[key] = (freqs.cos(), freqs.sin())
        return self._store[key]


_tables = _Tables()


def rope_half_split(x, positions, base=10000):
    cos, sin = _tables.get(positions, x.shape[-1], base)
    cos, sin = cos.to(x.dtype), sin.to(x.dtype)
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin], dim=-1)


def rope_interleaved(x, positions, base=10000):
    cos, sin = _tables.get(positions, x.shape[-1], base)
    cos, sin = cos.to(x.dtype), sin.to(x.dtype)
    x1, x2 = x[..., ::2], x[..., 1::2]
    return torch.stack([x1 * cos - x2 * sin, x2 * cos + x1 * sin], dim=-1).flatten(-2)
