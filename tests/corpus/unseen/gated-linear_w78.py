import torch
from torch import Tensor
import torch.nn.functional as F


def gated_step(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor):
    decay = torch.sigmoid(gate).pow(1.0 / 16)
    state = state * decay.view(*decay.shape, 1, 1) + key.unsqueeze(3) * value.unsqueeze(2)
    return (query.unsqueeze(2) @ state).squeeze(2), state


class Chunk:
    def __init__(self, q, k, v, gate):
        self.q, self.k, self.v = q, k, v
        self.c = F.logsigmoid(gate).cumsum(-1)

    def inner(self):
        n = self.c.shape[-1]
        rel = self.c.unsqueeze(-1) - self.c.unsqueeze(-2)
        rel = rel.masked_fill(torch.ones(n, n, device=rel.device).tril() == 0, float("-inf"))
        return (self.q @ self.k.mT).mul(rel.exp()) @ self.v

    def outer(self, state):
        return self.c.exp().unsqueeze(-1) * (self.q @ state)

    def carry(self, state):
        total = self.c[..., -1].unsqueeze(-1)
        w = (total - self.c).exp().unsqueeze(-1)
        return total.exp().unsqueeze(-1) * state + (w * self.k).mT @ self.v


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    rows = []
    for start in range(0, query.shape[2], chunk_size):
        chunk = Chunk(*(t[:, :, start : start + chunk_size] for t in (query, key, value, gate)))
        rows.append(chunk.inner() + chunk.outer(state))
        state = chunk.carry(state)
    return torch.cat(rows, 2), state
