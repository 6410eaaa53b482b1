"""GPT-J's and GPT-NeoX's code side by side: the same sinusoids, put down differently."""
import torch


def fixed_pos_embedding(positions, dim, base, wide):
    inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2, device=positions.device).to(wide) / dim))
    sinusoid_inp = torch.einsum("i,j->ij", positions.to(wide), inv_freq)
    return torch.sin(sinusoid_inp), torch.cos(sinusoid_inp)


def rotate_every_two(x):
    x1 = x[..., ::2]
    x2 = x[..., 1::2]
    x = torch.stack((-x2, x1), dim=-1)
    return x.flatten(-2)  # in einops notation: rearrange(x, '... d j -> ... (d j)')


def rotate_half(x):
    x1, x2 = torch.tensor_split(x, 2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


def rope_interleaved(x, positions, base=10000):
    wide = torch.promote_types(x.dtype, torch.float32)
    sin, cos = fixed_pos_embedding(positions, x.shape[-1], base, wide)
    sin, cos = (torch.repeat_interleave(t, 2, dim=-1) for t in (sin, cos))
    return ((x * cos) + (rotate_every_two(x) * sin)).to(x.dtype)


def rope_half_split(x, positions, base=10000):
    wide = torch.promote_types(x.dtype, torch.float32)
    sin, cos = fixed_pos_embedding(positions, x.shape[-1], base, wide)
    sin, cos = (torch.cat((t, t), dim=-1) for t in (sin, cos))
    return ((x * cos) + (rotate_half(x) * sin)).to(x.dtype)
