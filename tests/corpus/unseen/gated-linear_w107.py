from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F


@dataclass
class Decay:
    """What a run of gates keeps of the past; one number a head and position, as logs."""

    gate: Tensor

    def __post_init__(self):
        self.log = F.logsigmoid(self.gate.double() / 16)
        self.running = self.log.cumsum(dim=-1)

    @property
    def total(self):
        return self.running[..., -1].exp()

    def since_start(self):
        return self.running.exp()

    def until_end(self):
        return (self.running[..., -1:] - self.running).exp()

    def pairwise(self):
        gap = self.running.unsqueeze(-1) - self.running.unsqueeze(-2)
        later = torch.ones_like(gap, dtype=torch.bool).triu(diagonal=1)
        return torch.exp(gap.masked_fill(later, -torch.inf))


def gated_step(query, key, value, gate, state):
    out, last = gated_linear_attention(
        query.unsqueeze(2), key.unsqueeze(2), value.unsqueeze(2), gate.unsqueeze(2), state, 1
    )
    return out.squeeze(2), last


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    dtype, length = query.dtype, query.shape[-2]
    work = torch.promote_types(dtype, torch.float32)
    query, key, value, memory = (x.to(work) for x in (query, key, value, state))
    pieces, at = [], 0
    while (here := slice(at, at + chunk_size)).start < length:
        q, k, v = query[:, :, here], key[:, :, here], value[:, :, here]
        decay = Decay(gate[:, :, here])
        local = (q @ k.mT * decay.pairwise().to(work)) @ v
        carried = (q @ memory) * decay.since_start().to(work).unsqueeze(-1)
        pieces.append(local + carried)
        fresh = (k * decay.until_end().to(work).unsqueeze(-1)).mT @ v
        memory = memory * decay.total.to(work)[..., None, None] + fresh
        at += chunk_size
    return torch.cat(pieces, dim=2).to(dtype), memory.to(dtype)
