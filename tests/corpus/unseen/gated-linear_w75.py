import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    alpha = (F.logsigmoid(gate) / 16).exp()
    row = torch.einsum("bhd,bhde->bhe", query, state)
    state = alpha[:, :, None, None] * state + key[:, :, :, None] * value[:, :, None, :]
    return row, state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    outs = []
    for i in range(0, query.shape[2], chunk_size):
        s = slice(i, i + chunk_size)
        q, k, v = query[:, :, s], key[:, :, s], value[:, :, s]
        c = torch.cumsum(F.logsigmoid(gate[:, :, s]) / 16, dim=-1)
        n = q.shape[2]
        causal = torch.tril(torch.ones(n, n, dtype=torch.bool, device=q.device))
        diff = (c[:, :, :, None] - c[:, :, None, :]).masked_fill(~causal, float("-inf"))
        intra = ((q @ k.transpose(-1, -2)) * diff.exp()) @ v
        inter = c.exp()[..., None] * (q @ state)
        outs.append(intra + inter)
        tail = (c[:, :, -1:] - c).exp()
        state = c[:, :, -1].exp()[..., None, None] * state + (tail[..., None] * k).transpose(-1, -2) @ v
    return torch.cat(outs, dim=2), state
