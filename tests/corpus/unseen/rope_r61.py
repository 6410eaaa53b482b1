"""RoPE as multiplication by e^{i theta}; Meta's way, for both layouts."""
import torch


def _phases(positions, pairs, base):
    rate = base ** -(torch.arange(pairs, dtype=torch.float32, device=positions.device) / pairs)
    theta = torch.outer(positions.to(torch.float32), rate)
    return torch.polar(torch.ones_like(theta), theta)          # (length, pairs), complex64


def _turn(re_im, positions, base):
    # re_im (..., length, pairs, 2)
    z = torch.view_as_complex(re_im.float().contiguous())
    return torch.view_as_real(z * _phases(positions, z.shape[-1], base))


def rope_interleaved(x, positions, base=10000):
    pairs = x.reshape(*x.shape[:-1], x.shape[-1] // 2, 2)
    return _turn(pairs, positions, base).flatten(-2).type_as(x)


def rope_half_split(x, positions, base=10000):
    pairs = torch.stack(x.tensor_split(2, dim=-1), dim=-1)
    return torch.cat(_turn(pairs, positions, base).unbind(-1), dim=-1).type_as(x)
