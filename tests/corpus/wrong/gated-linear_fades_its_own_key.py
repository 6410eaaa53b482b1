# wrong: gated-linear decay-after-write line 9
import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    keep = torch.exp(F.logsigmoid(gate) / 16)
    new = state + torch.einsum("bhk,bhv->bhkv", key, value)
    new = keep[..., None, None] * new
    return torch.einsum("bhk,bhkv->bhv", query, new), new


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    rows = []
    for t in range(query.shape[2]):
        keep = torch.exp(F.logsigmoid(gate[:, :, t]) / 16)
        state = keep[..., None, None] * state
        state = state + torch.einsum("bhk,bhv->bhkv", key[:, :, t], value[:, :, t])
        rows.append(torch.einsum("bhk,bhkv->bhv", query[:, :, t], state))
    return torch.stack(rows, dim=2), state
