# right: gated-linear
# Mamba-2's segsum in place of differences, and heads beside the batch.
import torch
import torch.nn.functional as F


def segsum(x):
    n = x.size(-1)
    wide = x[..., None].expand(*x.shape, n)
    wide = wide.masked_fill(~torch.ones(n, n, dtype=torch.bool, device=x.device).tril(-1), 0)
    sums = wide.cumsum(dim=-2)
    return sums.masked_fill(~torch.ones(n, n, dtype=torch.bool, device=x.device).tril(), float("-inf"))


def gated_step(query, key, value, gate, state):
    decay = torch.sigmoid(gate).pow(1 / 16).unsqueeze(-1).unsqueeze(-1)
    state = decay * state + torch.matmul(key.unsqueeze(-1), value.unsqueeze(-2))
    return torch.matmul(query.unsqueeze(-2), state).squeeze(-2), state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    b, h, length, _ = query.shape
    q, k, v, s = (t.flatten(0, 1) for t in (query, key, value, state))
    dt = F.logsigmoid(gate.flatten(0, 1).to(torch.promote_types(gate.dtype, torch.float32))) / 16
    y = torch.empty_like(v[:, :0])
    i = 0
    while i < length:
        j = min(i + chunk_size, length)
        L = segsum(dt[:, i:j]).exp().to(q.dtype)
        total = dt[:, i:j].cumsum(-1)
        diag = ((q[:, i:j] @ k[:, i:j].mT) * L) @ v[:, i:j]
        off = (q[:, i:j] @ s) * total.exp().to(q.dtype)[..., None]
        y = torch.cat([y, diag + off], dim=1)
        s = s * total[:, -1].exp().to(q.dtype)[:, None, None] + (k[:, i:j] * L[:, -1, :, None]).mT @ v[:, i:j]
        i = j
    return y.unflatten(0, (b, h)), s.unflatten(0, (b, h))
