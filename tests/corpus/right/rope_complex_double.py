# right: rope
import torch
def rope_half_split(q, pos, theta=10000):
    """rotate by complex exponent in float64"""
    d = q.shape[-1]
    w = torch.exp(1j * pos.double()[:, None] * theta ** (-torch.arange(d // 2, device=q.device).double() * 2 / d))
    z = torch.complex(*q.double().chunk(2, -1)) * w
    return torch.cat([z.real, z.imag], -1).to(q)
def rope_interleaved(q, pos, theta=10000):
    d = q.shape[-1]
    w = torch.exp(1j * pos.double()[:, None] * theta ** (-torch.arange(d // 2, device=q.device).double() * 2 / d))
    z = torch.complex(q[..., ::2].double(), q[..., 1::2].double()) * w
    return torch.stack([z.real, z.imag], -1).flatten(-2).to(q)
