# attn-kata: gated-linear
import torch


def gated_step(query, key, value, gate, state):
    """S = a S + k v^T ; o = S^T q"""
    a = gate.sigmoid() ** (1 / 16)
    state = a[..., None, None] * state + key[..., None] * value[..., None, :]
    return (state * query[..., None]).sum(-2), state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    kind, acc = value.dtype, torch.promote_types(value.dtype, torch.float32)
    query, key, value, gate, state = (t.to(acc) for t in (query, key, value, gate, state))
    log_a = torch.log(torch.sigmoid(gate)) / 16
    outs = []
    for q, k, v, g in zip(*(t.split(chunk_size, 2) for t in (query, key, value, log_a))):
        c = g.cumsum(-1)
        diff = c[..., :, None] - c[..., None, :]
        above = torch.ones(diff.shape[-2:], dtype=torch.bool, device=diff.device).triu(1)
        inner = (q @ k.mT) * torch.exp(diff.masked_fill(above, -torch.inf))
        outs.append(inner @ v + c.exp()[..., None] * (q @ state))
        tail = torch.exp(c[..., -1:] - c)[..., None]
        state = c[..., -1].exp()[..., None, None] * state + (k * tail).mT @ v
    return torch.cat(outs, 2).to(kind), state.to(kind)
