# wrong: gated-linear carried-lost line 31
# fair: carried-lost 32
import torch
import torch.nn.functional as F


def log_decay(gate):
    return F.logsigmoid(gate.to(torch.promote_types(gate.dtype, torch.float32))) / 16


def gated_step(query, key, value, gate, state):
    keep = log_decay(gate).exp().to(state.dtype)
    state = keep[:, :, None, None] * state + torch.einsum("bhd,bhv->bhdv", key, value)
    return torch.einsum("bhd,bhdv->bhv", query, state), state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    logs = log_decay(gate)
    outs, start = [], 0
    while start < query.shape[2]:
        stop = start + chunk_size
        q, k, v = query[:, :, start:stop], key[:, :, start:stop], value[:, :, start:stop]
        total = logs[:, :, start:stop].cumsum(2)
        hidden = torch.ones(q.shape[2], q.shape[2], device=q.device).triu(1).bool()
        gap = (total[:, :, :, None] - total[:, :, None]).masked_fill(hidden, float("-inf"))
        scores = torch.einsum("bhid,bhjd->bhij", q, k) * gap.exp().to(q.dtype)
        out = torch.einsum("bhij,bhjv->bhiv", scores, v)
        out = out + torch.einsum("bhid,bhdv->bhiv", q * total.exp().to(q.dtype)[..., None], state)
        outs.append(out)
        rest = (total[:, :, -1:] - total).exp().to(q.dtype)
        state = torch.einsum("bhjd,bhjv->bhdv", k * rest[..., None], v)
        start = stop
    return torch.cat(outs, dim=2), state
