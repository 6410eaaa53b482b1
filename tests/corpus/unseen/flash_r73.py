import torch


class OnlineSoftmax:
    """state of one tile of queries: m (max), l (sum), acc (output)"""

    def __init__(self, q, dv):
        shape = q.shape[:-1]
        self.m = torch.full(shape, -torch.inf, dtype=torch.float32 if q.dtype != torch.float64 else q.dtype, device=q.device)
        self.l = torch.zeros_like(self.m)
        self.acc = self.m.new_zeros(*shape, dv)

    def push(self, s, v):
        new = torch.maximum(self.m, s.max(dim=-1).values)
        base = new.masked_fill(new.isneginf(), 0)
        fix = (self.m - base).exp()
        p = (s - base[..., None]).exp()
        self.l = self.l * fix + p.sum(-1)
        self.acc = self.acc * fix[..., None] + p @ v.to(p.dtype)
        self.m = new

    def read(self):
        return self.acc / self.l[..., None]


@torch.no_grad()
def flash_attention(query, key, value, block_size, causal=False):
    n, d = query.shape[-2:]
    out = torch.empty_like(value)
    for i0 in range(0, n, block_size):
        i1 = min(n, i0 + block_size)
        qi = query[:, :, i0:i1]
        st = OnlineSoftmax(qi, value.shape[-1])
        for j0 in range(0, i1 if causal else n, block_size):
            j1 = min(n, j0 + block_size)
            s = (qi.to(st.m.dtype) @ key[:, :, j0:j1].to(st.m.dtype).mT) / d ** 0.5
            if causal and j1 > i0:
                late = torch.arange(j0, j1, device=s.device) > torch.arange(i0, i1, device=s.device)[:, None]
                s.masked_fill_(late, -torch.inf)
            st.push(s, value[:, :, j0:j1])
        out[:, :, i0:i1] = st.read().to(out.dtype)
    return out
