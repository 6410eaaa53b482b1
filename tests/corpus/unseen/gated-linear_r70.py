import torch
import torch.nn.functional as F

TAU = 16.0


def _log_decay(gate):
    return F.logsigmoid(gate.to(torch.promote_types(gate.dtype, torch.float32))) / TAU


def gated_step(query, key, value, gate, state):
    a = _log_decay(gate).exp().to(state.dtype)
    new = torch.einsum("bhk,bhv->bhkv", key, value) + a[..., None, None] * state
    return torch.einsum("bhkv,bhk->bhv", new, query), new


class _Chunk:
    def __init__(self, q, k, v, la):
        self.q, self.k, self.v = q, k, v
        c = la.cumsum(-1)
        n = c.shape[-1]
        seen = torch.ones(n, n, dtype=torch.bool, device=q.device).tril()
        self.decay = (c.unsqueeze(-1) - c.unsqueeze(-2)).masked_fill(~seen, -torch.inf).exp().to(q.dtype)
        self.into = c.exp().unsqueeze(-1).to(q.dtype)
        self.tail = (c[..., -1:] - c).exp().unsqueeze(-1).to(q.dtype)
        self.whole = c[..., -1, None, None].exp().to(q.dtype)

    def run(self, S):
        inner = (self.q @ self.k.mT * self.decay) @ self.v
        outer = self.q * self.into @ S
        return inner + outer, self.whole * S + (self.k * self.tail).mT @ self.v


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    pieces = zip(*(t.split(chunk_size, dim=2) for t in (query, key, value, _log_decay(gate))))
    outs = []
    for p in pieces:
        o, state = _Chunk(*p).run(state)
        outs.append(o)
    return torch.cat(outs, dim=2), state
