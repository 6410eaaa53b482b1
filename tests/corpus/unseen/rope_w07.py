import torch


# C++-ish: one workspace, filled in place, no concatenations
def _sincos(positions, half, base):
    i = torch.arange(half, dtype=torch.float64, device=positions.device)
    w = torch.exp(i * (-2.0 * torch.log(torch.tensor(float(base), dtype=torch.float64)).item() / (2 * half)))
    ang = positions.double().reshape(-1, 1) * w.reshape(1, -1)
    return torch.sin(ang), torch.cos(ang)


def _rotate_into(dst_a, dst_b, a, b, sn, cs):
    dst_a.copy_(a * cs - b * sn)
    dst_b.copy_(b * cs + a * sn)


def rope_half_split(x, positions, base=10000):
    half = x.shape[-1] // 2
    sn, cs = _sincos(positions, half, base)
    work = x.contiguous()
    a, b = work[..., :half].clone(), work[..., half:].clone()
    _rotate_into(work[..., :half], work[..., half:], a, b, sn, cs)
    return work


def rope_interleaved(x, positions, base=10000):
    half = x.shape[-1] // 2
    sn, cs = _sincos(positions, half, base)
    work = torch.empty_like(x)
    _rotate_into(work[..., 0::2], work[..., 1::2], x[..., 0::2], x[..., 1::2], sn, cs)
    return work
