# wrong: gated-linear causal-excludes-self line 9
import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    keep = torch.exp(F.logsigmoid(gate) / 16)
    faded = keep[:, :, None, None] * state
    row = torch.einsum("bhd,bhdv->bhv", query, faded)
    return row, faded + key[:, :, :, None] * value[:, :, None, :]


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    rows = []
    for t in range(query.shape[2]):
        keep = torch.exp(F.logsigmoid(gate[:, :, t]) / 16)[:, :, None, None]
        state = keep * state + key[:, :, t, :, None] * value[:, :, t, None, :]
        rows.append(torch.einsum("bhd,bhdv->bhv", query[:, :, t], state))
    return torch.stack(rows, dim=2), state
