# wrong: gated-linear carried-padded line 19
import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    a = (F.logsigmoid(gate) / 16).exp()[..., None, None]
    state = a * state + key[..., :, None] * value[..., None, :]
    return (query[..., None, :] @ state)[..., 0, :], state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    b, h, n, d = query.shape
    extra = -n % chunk_size
    q = F.pad(query, (0, 0, 0, extra))
    k = F.pad(key, (0, 0, 0, extra))
    v = F.pad(value, (0, 0, 0, extra))
    g = F.pad(gate, (0, extra))
    logs = F.logsigmoid(g.to(torch.promote_types(g.dtype, torch.float32))) / 16
    mask = torch.ones(chunk_size, chunk_size, dtype=torch.bool, device=q.device).triu(1)
    out = []
    for i in range(0, n + extra, chunk_size):
        j = i + chunk_size
        c = logs[:, :, i:j].cumsum(-1)
        m = (c[..., None] - c[..., None, :]).masked_fill(mask, float("-inf")).exp().to(q.dtype)
        e = c.exp().to(q.dtype)[..., None]
        out.append((q[:, :, i:j] @ k[:, :, i:j].mT * m) @ v[:, :, i:j] + e * (q[:, :, i:j] @ state))
        state = e[:, :, -1:] * state + (k[:, :, i:j] * m[:, :, -1, :, None]).mT @ v[:, :, i:j]
    return torch.cat(out, 2)[:, :, :n], state
