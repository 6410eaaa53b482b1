import math

import torch


class Backward:
    def __init__(self, query, key, value, output, lse, grad_output):
        b, h, n, d = query.shape
        fold = lambda t: t.flatten(0, 1)
        self.front = (b, h)
        self.q = fold(query) / math.sqrt(d)
        self.k, self.v, self.g = fold(key), fold(value), fold(grad_output)
        self.lse = fold(lse).unsqueeze(1)
        self.d = (fold(output) * self.g).sum(-1).unsqueeze(1)
        self.root = math.sqrt(d)

    def block(self, a, z, causal):
        """everything is (keys of the tile, queries): transposed scores"""
        first = a if causal else 0
        kt, vt = self.k[:, a:z], self.v[:, a:z]
        q, g = self.q[:, first:], self.g[:, first:]
        st = torch.bmm(kt, q.mT) - self.lse[..., first:]
        if causal:
            st = st.masked_fill(torch.ones_like(st[0], dtype=torch.bool).tril(-1), -math.inf)
        pt = torch.exp(st)
        dst = pt * (torch.bmm(vt, g.mT) - self.d[..., first:])
        dq = torch.nn.functional.pad(torch.bmm(dst.mT, kt) / self.root, (0, 0, first, 0))
        return dq, torch.bmm(dst, q), torch.bmm(pt, g)


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    back = Backward(query, key, value, output, lse, grad_output)
    length = key.shape[2]
    dq, dk, dv = 0, [], []
    for a in range(0, length, block_size):
        dq_part, dk_tile, dv_tile = back.block(a, min(length, a + block_size), causal)
        dq = dq + dq_part
        dk.append(dk_tile)
        dv.append(dv_tile)
    grads = dq, torch.cat(dk, 1), torch.cat(dv, 1)
    return tuple(t.unflatten(0, back.front) for t in grads)
