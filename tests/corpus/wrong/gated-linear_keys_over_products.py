# wrong: gated-linear decay-overflows line 16
import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    a = (F.logsigmoid(gate) / 16).exp()[..., None, None]
    state = a * state + key[..., :, None] * value[..., None, :]
    return (query[..., None, :] @ state)[..., 0, :], state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    outs = []
    for s in range(0, query.size(2), chunk_size):
        q, k, v = (t[:, :, s : s + chunk_size] for t in (query, key, value))
        a = (F.logsigmoid(gate[:, :, s : s + chunk_size]) / 16).exp().cumprod(-1)
        q = q * a[..., None]
        outs.append((q @ (k / a[..., None]).mT).tril() @ v + q @ state)
        state = a[..., -1:, None] * (state + (k / a[..., None]).mT @ v)
    return torch.cat(outs, dim=2), state
