# wrong: gated-linear last-block-dropped line 16
# fair: last-block-dropped 17
import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    keep = (F.logsigmoid(gate) / 16).exp()
    state = keep[..., None, None] * state + key[..., None] * value[..., None, :]
    return (query[..., None] * state).sum(dim=-2), state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    length = query.shape[2]
    output = torch.zeros_like(value)
    chunks = max(1, length // chunk_size)
    for number in range(chunks):
        here = slice(number * chunk_size, (number + 1) * chunk_size)
        q, k, v = query[:, :, here], key[:, :, here], value[:, :, here]
        logs = F.logsigmoid(gate[:, :, here].to(torch.promote_types(gate.dtype, torch.float32))) / 16
        sums = logs.cumsum(dim=-1)
        ahead = torch.ones(q.shape[2], q.shape[2], dtype=torch.bool, device=q.device).triu(1)
        faded = (sums[..., None] - sums[..., None, :]).masked_fill(ahead, float("-inf")).exp()
        left = sums.exp().to(q.dtype)[..., None]
        output[:, :, here] = (q @ k.mT * faded.to(q.dtype)) @ v + left * (q @ state)
        kept = (sums[..., -1:] - sums).exp().to(q.dtype)[..., None]
        state = left[:, :, -1:] * state + (kept * k).mT @ v
    return output, state
