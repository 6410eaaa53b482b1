# right: gated-linear
# Padded with positions that write nothing and let nothing fade; states in a loop, rows all at once.
import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    kept = F.logsigmoid(gate).div(16).exp()
    new_state = state * kept.unsqueeze(-1).unsqueeze(-1) + key.unsqueeze(-1) * value.unsqueeze(-2)
    return (new_state * query.unsqueeze(-1)).sum(-2), new_state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    length = query.shape[2]
    missing = -length % chunk_size
    wide = torch.promote_types(gate.dtype, torch.float32)
    logs = F.pad(F.logsigmoid(gate.to(wide)) / 16, (0, missing))
    q, k, v = (F.pad(t, (0, 0, 0, missing)) for t in (query, key, value))
    q, k, v, logs = (t.unflatten(2, (-1, chunk_size)) for t in (q, k, v, logs))
    sums = logs.cumsum(-1)
    between = sums[..., :, None] - sums[..., None, :]
    later = torch.ones(chunk_size, chunk_size, device=q.device, dtype=torch.bool).triu(1)
    decay = between.masked_fill(later, float("-inf")).exp().to(q.dtype)
    rows = (q @ k.mT * decay) @ v
    write = (k * (sums[..., -1:] - sums).exp().to(q.dtype)[..., None]).mT @ v
    keep = sums[..., -1].exp().to(q.dtype)
    states = []
    for n in range(q.shape[2]):
        states.append(state)
        state = keep[:, :, n, None, None] * state + write[:, :, n]
    begun = torch.stack(states, dim=2)
    rows = rows + sums.exp().to(q.dtype)[..., None] * (q @ begun)
    return rows.flatten(2, 3)[:, :, :length], state
