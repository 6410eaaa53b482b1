import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    decay = torch.exp(F.logsigmoid(gate) / 16)
    new_state = decay[..., None, None] * state + torch.einsum("bhd,bhv->bhdv", key, value)
    return torch.einsum("bhd,bhdv->bhv", query, new_state), new_state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    wide = torch.promote_types(query.dtype, torch.float32)
    query, key, value, gate, state = (t.to(wide) for t in (query, key, value, gate, state))
    b, h, n, _ = query.shape
    c = min(chunk_size, n)
    short = -n % c
    # fill up to whole chunks; keys of 0 write nothing
    q, k, v = (F.pad(t, (0, 0, 0, short)).unflatten(2, (-1, c)) for t in (query, key, value))
    logs = F.logsigmoid(F.pad(gate, (0, short))) / 16
    logs = logs.unflatten(2, (-1, c)).cumsum(-1)

    causal = torch.ones(c, c, dtype=torch.bool, device=query.device).tril()
    outs = []
    for i in range(q.shape[2]):
        qi, ki, vi, gi = q[:, :, i], k[:, :, i], v[:, :, i], logs[:, :, i]
        ratio = torch.where(causal, gi[..., :, None] - gi[..., None, :], float("-inf")).exp()
        a = torch.einsum("bhid,bhjd->bhij", qi, ki) * ratio
        o = torch.einsum("bhij,bhjv->bhiv", a, vi)
        o = o + gi.exp()[..., None] * torch.einsum("bhid,bhdv->bhiv", qi, state)
        end = gi[..., -1:]
        state = end.exp()[..., None] * state
        state = state + torch.einsum("bhjd,bhjv->bhdv", ki * (end - gi).exp()[..., None], vi)
        outs.append(o)
    return torch.cat(outs, dim=2)[:, :, :n], state
