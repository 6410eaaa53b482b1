"""Rotary embedding; `dtype` follows the activations, as everywhere else in the model."""
import torch


def sinusoidal(positions, features, base, dtype):
    fraction = torch.arange(0, features, 2, device=positions.device) / features
    timescale = base**fraction
    sinusoid_inp = torch.einsum(
        "t,f->tf", positions.to(dtype), (1.0 / timescale).to(dtype)
    )
    return torch.sin(sinusoid_inp), torch.cos(sinusoid_inp)


def apply_rotary(first, second, sin, cos):
    return first * cos - second * sin, second * cos + first * sin


def rope_half_split(x, positions, base=10000):
    sin, cos = sinusoidal(positions, x.shape[-1], base, x.dtype)
    first, second = torch.tensor_split(x, 2, dim=-1)
    return torch.concatenate(apply_rotary(first, second, sin, cos), dim=-1)


def rope_interleaved(x, positions, base=10000):
    sin, cos = sinusoidal(positions, x.shape[-1], base, x.dtype)
    first, second = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack(apply_rotary(first, second, sin, cos), dim=-1).flatten(-2)
