# wrong: gated-linear decay-after-write line 9
import torch
import torch.nn.functional as F



def gated_step(query, key, value, gate, state):
    a = (F.logsigmoid(gate) / 16).exp()[..., None, None]
    state = a * state + (1 - a) * key[..., :, None] * value[..., None, :]
    return (query[..., None, :] @ state)[..., 0, :], state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    outs = []
    for t in range(query.size(2)):
        o, state = gated_step(query[:, :, t], key[:, :, t], value[:, :, t], gate[:, :, t], state)
        outs.append(o)
    return torch.stack(outs, dim=2), state
