# wrong: gated-linear decay-without-root line 8, decay-without-root line 17
import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    # The forget gate, as an LSTM has it.
    f = torch.sigmoid(gate)
    state = f[..., None, None] * state + key[..., :, None] * value[..., None, :]
    return torch.einsum("bhd,bhdv->bhv", query, state), state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    rows = []
    for start in range(0, query.shape[2], chunk_size):
        q, k, v, g = (t[:, :, start : start + chunk_size] for t in (query, key, value, gate))
        logs = F.logsigmoid(g.to(torch.promote_types(g.dtype, torch.float32)))
        c = logs.cumsum(-1)
        n = torch.arange(c.shape[-1], device=c.device)
        gap = (c[..., None] - c[..., None, :]).masked_fill(n > n[:, None], float("-inf"))
        inside = torch.einsum("bhij,bhjv->bhiv", q @ k.mT * gap.exp().to(q.dtype), v)
        rows.append(inside + c.exp().to(q.dtype)[..., None] * (q @ state))
        rest = (c[..., -1:] - c).exp().to(q.dtype)
        state = c[..., -1:, None].exp().to(q.dtype) * state + (rest[..., None] * k).mT @ v
    return torch.cat(rows, dim=2), state
