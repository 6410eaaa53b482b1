# Band storage (as LAPACK's gb routines): column w of the band is the key w - (width - 1) places away.
import torch
import torch.nn.functional as F


def _band(x, width):
    """(B, H, L, D) -> (B, H, L, D, width), zeros before the beginning."""
    return F.pad(x, [0, 0, width - 1, 0]).unfold(2, width, 1)


def window_attention(query, key, value, window):
    length, head_dim = query.shape[2:]
    width = min(int(window), length)
    wp = torch.promote_types(query.dtype, torch.float32)
    q = query.to(wp) * head_dim ** -0.5
    s = torch.einsum("bhld,bhldw->bhlw", q, _band(key.to(wp), width))
    real = torch.arange(length, device=s.device)[:, None] + torch.arange(1 - width, 1, device=s.device)
    s = s.masked_fill(real < 0, float("-inf"))
    p = torch.softmax(s, dim=-1)
    return torch.einsum("bhlw,bhldw->bhld", p, _band(value.to(wp), width)).to(query.dtype)
