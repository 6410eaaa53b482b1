# attn-kata: flash
import math
import torch


class Running:
    """online softmax state of a tile of queries"""

    def __init__(self, q, width):
        lead = q.shape[:-1]
        self.m = q.new_full((*lead, 1), -math.inf)
        self.l = q.new_zeros((*lead, 1))
        self.o = q.new_zeros((*lead, width))

    def update(self, s, v):
        m_new = torch.maximum(self.m, s.amax(-1, keepdim=True))
        alpha = torch.exp(self.m - m_new)
        p = torch.exp(s - m_new)
        self.l = alpha * self.l + p.sum(-1, keepdim=True)
        self.o = alpha * self.o + p @ v
        self.m = m_new

    def result(self):
        return self.o / self.l


def flash_attention(query, key, value, block_size, causal=False):
    n, d = query.shape[-2:]
    wide = torch.promote_types(query.dtype, torch.float32)
    scale = d ** -0.5
    rows = []
    for i in range(0, n, block_size):
        q = query[..., i:i + block_size, :].to(wide) * scale
        state = Running(q, value.shape[-1])
        last = min(i + block_size, n)
        end = last if causal else n
        for j in range(0, end, block_size):
            stop = min(j + block_size, end)
            s = q @ key[..., j:stop, :].to(wide).mT
            if causal and stop - 1 > i:
                qi = torch.arange(i, last, device=q.device)[:, None]
                kj = torch.arange(j, stop, device=q.device)
                s = s.masked_fill(kj > qi, -math.inf)
            state.update(s, value[..., j:stop, :].to(wide))
        rows.append(state.result())
    return torch.cat(rows, dim=-2).to(query.dtype)
