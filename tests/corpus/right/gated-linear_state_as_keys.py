# right: gated-linear
# The state's rows stand before the chunk's values, and the state itself is read by unit queries.
import torch
from torch.nn.functional import softplus


def log_keep(g):
    g = g.float() if g.dtype in (torch.float16, torch.bfloat16) else g
    return -softplus(-g) / 16


def gated_step(query, key, value, gate, state):
    out, state = gated_linear_attention(
        *(x.unsqueeze(2) for x in (query, key, value, gate)), state=state, chunk_size=1
    )
    return out.squeeze(2), state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    B, H, T, D = query.shape
    unit = torch.eye(D, dtype=query.dtype, device=query.device).expand(B, H, D, D)
    ys = []
    for q, k, v, lg in zip(*(x.split(chunk_size, 2) for x in (query, key, value, log_keep(gate)))):
        n = q.shape[2]
        # row i, column j: the gates of j+1 … i, summed downwards; column 0 is for the state
        grid = torch.tril(lg.unsqueeze(-1).expand(B, H, n, n), -1).cumsum(2)
        grid = torch.cat([lg.cumsum(2).unsqueeze(-1), grid], -1)
        seen = torch.ones(n, n + 1, dtype=torch.bool, device=q.device).tril(1)
        grid = torch.where(seen, grid, float("-inf")).exp().to(q.dtype)
        memory = torch.cat([state, v], dim=2)
        weight = torch.cat([q * grid[..., :1], q @ k.transpose(2, 3) * grid[..., 1:]], dim=-1)
        ys.append(weight @ memory)
        last = torch.cat([unit * grid[:, :, -1:, :1], k.transpose(2, 3) * grid[:, :, -1:, 1:]], -1)
        state = last @ memory
    return torch.cat(ys, 2), state
