# wrong: gated-linear carried-read-late line 43
import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    keep = torch.exp(F.logsigmoid(gate) / 16)[..., None, None]
    state = keep * state + key[..., :, None] * value[..., None, :]
    return (query[..., None, :] @ state)[..., 0, :], state


class Memory:
    def __init__(self, state):
        self.state = state

    def write(self, keys, values, logs):
        to_end = torch.exp(logs[..., -1:] - logs)
        left = torch.exp(logs[..., -1])[..., None, None]
        self.state = left * self.state + (to_end[..., None] * keys).mT @ values

    def read(self, queries, logs):
        return torch.exp(logs)[..., None] * (queries @ self.state)


def within(queries, keys, values, logs):
    apart = logs[..., :, None] - logs[..., None, :]
    later = torch.ones_like(apart, dtype=torch.bool).triu(1)
    return (queries @ keys.mT * torch.exp(apart.masked_fill(later, -torch.inf))) @ values


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    wide = torch.promote_types(query.dtype, torch.float32)
    log_keep = F.logsigmoid(gate.to(wide)) / 16
    memory = Memory(state.to(wide))
    out = []
    for start in range(0, query.shape[2], chunk_size):
        end = start + chunk_size
        q, k, v = (t[:, :, start:end].to(wide) for t in (query, key, value))
        logs = log_keep[:, :, start:end].cumsum(-1)
        own = within(q, k, v, logs)
        memory.write(k, v, logs)
        # what came before this chunk
        earlier = memory.read(q, logs)
        out.append(own + earlier)
    return torch.cat(out, 2).to(query.dtype), memory.state.to(query.dtype)
