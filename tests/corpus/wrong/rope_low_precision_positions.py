# wrong: rope rope-low-precision line 9
# fair: rope-low-precision 9, 10, 17, 18
import torch


def rope_half_split(x: torch.Tensor, positions: torch.Tensor, base: float = 10000.0) -> torch.Tensor:
    dim = x.size(-1)
    inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2, device=x.device).float() / dim))
    t = positions.type_as(x)
    freqs = torch.outer(t.float(), inv_freq)
    x1, x2 = x.chunk(2, -1)
    return torch.cat([x1 * freqs.cos() - x2 * freqs.sin(), x2 * freqs.cos() + x1 * freqs.sin()], -1).type_as(x)


def rope_interleaved(x: torch.Tensor, positions: torch.Tensor, base: float = 10000.0) -> torch.Tensor:
    dim = x.size(-1)
    inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2, device=x.device).float() / dim))
    t = positions.type_as(x)
    freqs = torch.outer(t.float(), inv_freq)
    x1, x2 = x[..., ::2], x[..., 1::2]
    return torch.stack([x1 * freqs.cos() - x2 * freqs.sin(), x2 * freqs.cos() + x1 * freqs.sin()], -1).flatten(-2).type_as(x)
