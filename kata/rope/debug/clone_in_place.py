import math

import torch


def _tables(positions, d, base):
    inv = torch.exp(
        torch.arange(0, d, 2, dtype=torch.float, device=positions.device) * (-math.log(base) / d)
    )
    angle = positions.unsqueeze(1) * inv
    return torch.sin(angle), torch.cos(angle)


def rope_neox(q, pos, theta=10000.0):
    d = q.size(-1)
    sin, cos = _tables(pos, d, theta)
    y = q.clone()
    y[..., : d // 2] = q[..., : d // 2] * cos - q[..., d // 2 :] * sin
    y[..., d // 2 :] = q[..., d // 2 :] * cos + q[..., : d // 2] * sin
    return y


def rope_gptj(q, pos, theta=10000.0):
    sin, cos = _tables(pos, q.size(-1), theta)
    y = torch.empty_like(q)
    y[..., 0::2] = q[..., 0::2] * cos - q[..., 1::2] * sin
    y[..., 1::2] = q[..., 1::2] * cos + q[..., 0::2] * sin
    return y
