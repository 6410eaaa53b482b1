# right: gated-linear
# The decay from key to query is found by steps within the chunk, one column after another.
import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    keep = torch.sigmoid(gate) ** 0.0625
    state = torch.addcmul(keep[..., None, None] * state, key[..., None], value[..., None, :])
    return (query.unsqueeze(-2) @ state)[..., 0, :], state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    keep = torch.exp(F.logsigmoid(gate) / 16)
    outputs = []
    for q, k, v, a in zip(*(t.split(chunk_size, dim=2) for t in (query, key, value, keep))):
        rows, faded, left = [], None, None
        for i in range(q.shape[2]):
            step = a[:, :, i : i + 1]
            faded = torch.ones_like(step) if faded is None else torch.cat([faded * step, torch.ones_like(step)], -1)
            left = step if left is None else left * step
            scores = (q[:, :, i : i + 1] @ k[:, :, : i + 1].mT) * faded[:, :, None]
            rows.append(scores @ v[:, :, : i + 1] + left[..., None] * (q[:, :, i : i + 1] @ state))
        outputs.append(torch.cat(rows, dim=2))
        state = left[..., None] * state + (faded[..., None] * k).mT @ v
    return torch.cat(outputs, dim=2), state
