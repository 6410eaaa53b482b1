# attn-kata: gated-linear
import torch
from torch.nn.functional import logsigmoid


def gated_step(query, key, value, gate, state):
    ft = torch.promote_types(gate.dtype, torch.float32)
    a = logsigmoid(gate.to(ft)).div(16).exp().to(state.dtype)
    new_state = a[:, :, None, None] * state + torch.einsum("bhd,bhe->bhde", key, value)
    row = torch.einsum("bhd,bhde->bhe", query, new_state)
    return row, new_state


class ChunkScan:
    """carry: the state at the chunk's border"""

    def __init__(self, state):
        self.state = state

    def intra(self, q, k, v, c):
        n = q.shape[2]
        gap = c[..., :, None] - c[..., None, :]
        gap = gap.masked_fill(torch.ones(n, n, device=q.device).triu(1).bool(), float("-inf"))
        sim = torch.einsum("bhid,bhjd->bhij", q, k) * gap.exp()
        return torch.einsum("bhij,bhje->bhie", sim, v)

    def inter(self, q, c):
        return torch.einsum("bhid,bhde,bhi->bhie", q, self.state, c.exp())

    def write(self, k, v, c):
        tail = (c[..., -1:] - c).exp()
        fresh = torch.einsum("bhjd,bhje,bhj->bhde", k, v, tail)
        self.state = self.state * c[..., -1, None, None].exp() + fresh

    def __call__(self, q, k, v, log_a):
        c = log_a.cumsum(-1)
        self.write(k, v, c)
        return self.intra(q, k, v, c) + self.inter(q, c)


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    ft = torch.promote_types(query.dtype, torch.float32)
    scan = ChunkScan(state.to(ft))
    log_a = logsigmoid(gate.to(ft)) / 16
    args = [x.to(ft).split(chunk_size, dim=2) for x in (query, key, value)]
    out = [scan(q, k, v, a) for q, k, v, a in zip(*args, log_a.split(chunk_size, dim=2))]
    return torch.cat(out, dim=2).to(query.dtype), scan.state.to(query.dtype)
