# wrong: flash causal-by-tile line 16
# fair: causal-by-tile 16, 18
import torch


def flash_attention(query, key, value, block_size, causal=False):
    d, n = query.shape[-1], query.shape[-2]
    outs = []
    for qa in range(0, n, block_size):
        q = query[:, :, qa:qa + block_size]
        m = torch.full_like(q[..., :1], float("-inf"))
        z = torch.zeros_like(m)
        o = torch.zeros_like(q)
        for ka in range(0, n, block_size):
            # nothing from the future: skip the tiles above the diagonal
            if causal and ka > qa:
                continue
            s = q @ key[:, :, ka:ka + block_size].transpose(-2, -1) * d ** -0.5
            top = torch.maximum(m, s.amax(-1, keepdim=True))
            p, r = (s - top).exp(), (m - top).exp()
            z, o, m = z * r + p.sum(-1, keepdim=True), o * r + p @ value[:, :, ka:ka + block_size], top
        outs.append(o / z)
    return torch.cat(outs, dim=-2)
