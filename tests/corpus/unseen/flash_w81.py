import torch


class OnlineSoftmax:
    def __init__(self, q):
        self.m = torch.zeros_like(q[..., 0])
        self.l = torch.zeros_like(self.m)
        self.o = torch.zeros_like(q)

    def update(self, s, v):
        m = torch.maximum(self.m, s.max(dim=-1).values)
        alpha = torch.exp(self.m - m)
        p = torch.exp(s - m[..., None])
        self.l = self.l * alpha + p.sum(dim=-1)
        self.o = self.o * alpha[..., None] + torch.matmul(p, v)
        self.m = m

    def value(self):
        return self.o / self.l[..., None]


def flash_attention(query, key, value, block_size, causal=False):
    n = query.shape[2]
    q = query / query.shape[3] ** 0.5
    state = OnlineSoftmax(q)
    i = torch.arange(n, device=q.device)
    for k, v, j in zip(key.split(block_size, dim=2), value.split(block_size, dim=2), i.split(block_size)):
        s = torch.matmul(q, k.transpose(-1, -2))
        if causal:
            s = s.masked_fill(i[:, None] < j[None, :], float("-inf"))
        state.update(s, v)
    return state.value()
