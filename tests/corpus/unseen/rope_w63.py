import torch


class RotaryTable:
    """cos and sin of all positions seen so far; grows when a longer context comes along."""

    def __init__(self):
        self.store = {}

    def _build(self, n, dim, base, device):
        freq = torch.pow(
            torch.tensor(float(base)), -torch.arange(0, dim, 2, dtype=torch.float32) / dim
        ).to(device)
        phase = torch.arange(n, dtype=torch.float32, device=device)[:, None] * freq
        return torch.stack([phase.cos(), phase.sin()])

    def lookup(self, positions, dim, base):
        need = int(positions.max()) + 1
        slot = (dim, positions.device)
        table = self.store.get(slot)
        if table is None or table.shape[1] < need:
            self.store[slot] = table = self._build(max(need, 512), dim, base, positions.device)
        return table[:, positions]


ROTARY = RotaryTable()


def _spin(x, y, cs):
    cos, sin = cs
    return x * cos - y * sin, x * sin + y * cos


def rope_half_split(x, positions, base=10000):
    h = x.shape[-1] // 2
    cs = ROTARY.lookup(positions, x.shape[-1], base)
    z = x.to(torch.promote_types(x.dtype, cs.dtype))
    return torch.cat(_spin(z[..., :h], z[..., h:], cs), dim=-1).to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    cs = ROTARY.lookup(positions, x.shape[-1], base)
    z = x.to(torch.promote_types(x.dtype, cs.dtype))
    return torch.stack(_spin(z[..., ::2], z[..., 1::2], cs), dim=-1).reshape(x.shape).to(x.dtype)
