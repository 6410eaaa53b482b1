import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    decay = torch.exp(F.logsigmoid(gate.float() if gate.dtype != torch.float64 else gate) / 16)
    decay = decay.to(state.dtype)[..., None, None]
    kv = key[..., :, None] * value[..., None, :]
    new_state = decay * (state + kv)
    row = (new_state * query[..., :, None]).sum(dim=-2)
    return row, new_state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    length = query.shape[2]
    log_a = F.logsigmoid(gate.double()) / 16

    outputs = []
    for start in range(0, length, chunk_size):
        end = min(start + chunk_size, length)
        q, k, v = query[:, :, start:end], key[:, :, start:end], value[:, :, start:end]
        c = log_a[:, :, start:end].cumsum(dim=-1)

        # inside the chunk
        diff = c[..., :, None] - c[..., None, :]
        future = torch.ones_like(diff, dtype=torch.bool).triu(1)
        decay = diff.masked_fill(future, float("-inf")).exp().to(q.dtype)
        intra = (q @ k.transpose(-1, -2) * decay) @ v

        # what the chunks before have left
        inter = c.exp().to(q.dtype)[..., None] * (q @ state)
        outputs.append(inter + intra)

        to_end = (c[..., -1:] - c).exp().to(k.dtype)[..., None]
        state = c[..., -1].exp().to(k.dtype)[..., None, None] * state + (k * to_end).transpose(-1, -2) @ v

    return torch.cat(outputs, dim=2), state
