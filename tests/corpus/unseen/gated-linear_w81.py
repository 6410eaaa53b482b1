import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    decay = torch.exp(F.logsigmoid(gate) / 16)[..., None, None]
    faded = decay * state
    row = (query.unsqueeze(-2) @ faded).squeeze(-2)
    new_state = faded + key.unsqueeze(-1) @ value.unsqueeze(-2)
    return row, new_state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    outputs = []
    length = query.shape[2]
    for s in range(0, length, chunk_size):
        q, k, v = (t[:, :, s:s + chunk_size] for t in (query, key, value))
        c = (F.logsigmoid(gate[:, :, s:s + chunk_size]) / 16).cumsum(-1)
        n = c.shape[-1]
        diff = c[..., :, None] - c[..., None, :]
        future = torch.ones(n, n, dtype=torch.bool, device=q.device).triu(1)
        w = torch.exp(diff.masked_fill(future, float("-inf")))
        intra = ((q @ k.transpose(-1, -2)) * w) @ v
        inter = torch.exp(c)[..., None] * (q @ state)
        outputs.append(intra + inter)
        last = c[..., -1:]
        state = torch.exp(last)[..., None] * state + (k * torch.exp(last - c)[..., None]).transpose(-1, -2) @ v
    return torch.cat(outputs, dim=2), state
