# right: gated-linear
import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    keep = (F.logsigmoid(gate) / 16).exp()
    state = keep[..., None, None] * state + key[..., :, None] * value[..., None, :]
    return (query[..., None, :] @ state).squeeze(-2), state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    rows = []
    for t in range(query.size(2)):
        row, state = gated_step(query[:, :, t], key[:, :, t], value[:, :, t], gate[:, :, t], state)
        rows.append(row)
    return torch.stack(rows, dim=2), state
