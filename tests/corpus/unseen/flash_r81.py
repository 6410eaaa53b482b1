# Running softmax in the inputs' own dtype throughout; queries in tiles as well.
import math
import torch


class Running:
    __slots__ = ("m", "z", "acc")

    def __init__(self, q, dv):
        low = torch.finfo(q.dtype).min
        self.m = torch.full_like(q[..., :1], low)
        self.z = torch.zeros_like(self.m)
        self.acc = q.new_zeros(*q.shape[:-1], dv)

    def __iadd__(self, tile):
        s, v = tile
        m = torch.maximum(self.m, s.amax(dim=-1, keepdim=True))
        fade = (self.m - m).exp_()
        p = (s - m).exp_()
        self.z = torch.addcmul(p.sum(-1, keepdim=True), self.z, fade)
        self.acc = torch.addcmul(torch.matmul(p, v), self.acc, fade)
        self.m = m
        return self

    def __call__(self):
        return self.acc.div(self.z)


def flash_attention(query, key, value, block_size, causal=False):
    length = query.size(-2)
    out = torch.empty_like(query)
    rows = max(block_size, 64)
    for lo in range(0, length, rows):
        hi = min(lo + rows, length)
        q = query[:, :, lo:hi] / math.sqrt(query.size(-1))
        state = Running(q, value.size(-1))
        for a in range(0, hi if causal else length, block_size):
            b = min(a + block_size, length)
            s = torch.matmul(q, key[:, :, a:b].transpose(2, 3))
            if causal and b > lo:
                late = torch.ones(hi - lo, b - a, dtype=torch.bool, device=q.device).triu_(lo - a + 1)
                s.masked_fill_(late, torch.finfo(s.dtype).min)
            state += s, value[:, :, a:b]
        out[:, :, lo:hi] = state()
    return out
