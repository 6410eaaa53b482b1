import functools

import torch

# layout -> (take apart, put together); both see the pairs as (..., head_dim/2)
LAYOUTS = {
    "halves": (
        lambda x: x.unflatten(-1, (2, -1)).unbind(-2),
        lambda a, b: torch.stack((a, b), dim=-2).flatten(-2),
    ),
    "neighbours": (
        lambda x: (x[..., 0::2], x[..., 1::2]),
        lambda a, b: torch.stack((a, b), dim=-1).flatten(-2),
    ),
}


def _rope(x, positions, base=10000, *, layout):
    """Rotate the pairs of x; angles in float32 at least."""
    apart, together = LAYOUTS[layout]
    dtype = torch.promote_types(x.dtype, torch.float32)
    steps = torch.arange(x.shape[-1] // 2, dtype=dtype, device=x.device)
    theta = positions.to(dtype)[:, None] * base ** (-2 * steps / x.shape[-1])
    cos, sin = torch.cos(theta), torch.sin(theta)
    a, b = apart(x)
    return together(a * cos - b * sin, b * cos + a * sin).to(x.dtype)


rope_half_split = functools.partial(_rope, layout="halves")
rope_interleaved = functools.partial(_rope, layout="neighbours")


if __name__ == "__main__":
    x = torch.randn(1, 1, 3, 4)
    at_zero = torch.zeros(3, dtype=torch.long)
    for rotate in (rope_half_split, rope_interleaved):
        assert torch.equal(rotate(x, at_zero), x)
    print("ok")
