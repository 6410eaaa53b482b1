import torch


def _rotation_matrices(positions, head_dim, base, pair):
    """(length, head_dim, head_dim): one big block-sparse rotation for each position. Slow and obvious."""
    half = head_dim // 2
    R = torch.zeros(len(positions), head_dim, head_dim, dtype=torch.float64, device=positions.device)
    for i in range(half):
        theta = positions.double() * float(base) ** (-2.0 * i / head_dim)
        a, b = pair(i)
        R[:, a, a] = torch.cos(theta)
        R[:, b, b] = torch.cos(theta)
        R[:, a, b] = -torch.sin(theta)
        R[:, b, a] = torch.sin(theta)
    return R


def _apply(x, R):
    # y_t = R_t x_t
    return torch.matmul(R.to(x.dtype), x.unsqueeze(-1)).squeeze(-1)


def rope_half_split(x, positions, base=10000):
    d = x.size(-1)
    return _apply(x, _rotation_matrices(positions, d, base, lambda i: (i, i + d // 2)))


def rope_interleaved(x, positions, base=10000):
    d = x.size(-1)
    return _apply(x, _rotation_matrices(positions, d, base, lambda i: (2 * i, 2 * i + 1)))
