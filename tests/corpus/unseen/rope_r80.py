"""One routine for both layouts: a permutation that names each entry's partner, and a sign."""
import torch
from torch import Tensor
import typing as t


class Layout(t.NamedTuple):
    partner: Tensor   # where the other entry of the pair stands
    pair: Tensor      # which pair an entry belongs to
    sign: Tensor      # -1 for a (it loses b sin), +1 for b

    @classmethod
    def halves(cls, d: int, device) -> "Layout":
        i = torch.arange(d, device=device)
        return cls(i.roll(d // 2), i % (d // 2), torch.where(i < d // 2, -1.0, 1.0))

    @classmethod
    def neighbours(cls, d: int, device) -> "Layout":
        i = torch.arange(d, device=device)
        return cls(i.bitwise_xor(1), i.div(2, rounding_mode="floor"), (i % 2).mul(2.0).sub(1.0))


def _rotate(x: Tensor, positions: Tensor, base: float, layout: Layout) -> Tensor:
    d = x.size(-1)
    assert d % 2 == 0, "head_dim has to be even"
    with torch.autocast(device_type=x.device.type, enabled=False):
        rate = torch.pow(torch.tensor(float(base), device=x.device), layout.pair.float() * (-2.0 / d))
        angle = positions.to(torch.float32)[:, None] * rate[None, :]
    cos, sin = angle.cos(), angle.sin() * layout.sign
    wide = x if x.dtype == torch.float64 else x.float()
    other = wide.index_select(-1, layout.partner)
    return torch.addcmul(wide * cos, other, sin.to(wide.dtype)).to(x.dtype)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    return _rotate(x, positions, base, Layout.halves(x.size(-1), x.device))


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    return _rotate(x, positions, base, Layout.neighbours(x.size(-1), x.device))
