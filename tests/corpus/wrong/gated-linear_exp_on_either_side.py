# wrong: gated-linear decay-overflows line 25
# fair: decay-overflows 26
import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    keep = (F.logsigmoid(gate) / 16).exp()[..., None, None]
    state = keep * state + key.unsqueeze(-1) @ value.unsqueeze(-2)
    return (query.unsqueeze(-2) @ state).squeeze(-2), state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    wide = torch.promote_types(gate.dtype, torch.float32)
    g = F.logsigmoid(gate.to(wide)) / 16
    out = []
    for i in range(0, query.shape[2], chunk_size):
        q = query[:, :, i : i + chunk_size]
        k = key[:, :, i : i + chunk_size]
        v = value[:, :, i : i + chunk_size]
        b = g[:, :, i : i + chunk_size].cumsum(2).unsqueeze(-1)
        n = q.shape[2]
        mask = torch.ones(n, n, device=q.device, dtype=torch.bool).tril()
        q_in = (q * b.exp()).to(q.dtype)
        k_in = (k * (-b).exp()).to(q.dtype)
        a = (q_in @ k_in.mT).masked_fill(~mask, 0)
        out.append(a @ v + q_in @ state)
        last = b[:, :, -1:]
        state = last.exp().to(q.dtype) * state + (k * (last - b).exp().to(q.dtype)).mT @ v
    return torch.cat(out, 2), state
