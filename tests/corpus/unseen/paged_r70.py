import torch


class PageReader:
    """walks a sequence's blocks, one at a time, with a running softmax"""

    def __init__(self, kp, vp):
        self.kp, self.vp = kp, vp
        self.bs = kp.shape[1]

    def pages(self, row, n):
        left, it = n, iter(row)
        while left > 0:
            page = next(it)
            take = min(self.bs, left)
            yield self.kp[page, :take], self.vp[page, :take]
            left -= take


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    B, H, D = query.shape
    kvh = key_pool.shape[2]
    acc_t = torch.promote_types(query.dtype, torch.float32)
    out = torch.empty_like(query)
    reader = PageReader(key_pool, value_pool)
    for b in range(B):
        q = query[b].to(acc_t).view(kvh, H // kvh, D) / D ** 0.5
        m = q.new_full((kvh, H // kvh), -torch.inf)
        den, num = torch.zeros_like(m), torch.zeros_like(q)
        for k, v in reader.pages(block_table[b].tolist(), int(lengths[b])):
            s = torch.einsum("grd,tgd->grt", q, k.to(acc_t))
            top = torch.maximum(m, s.amax(-1))
            p, old = (s - top[..., None]).exp(), (m - top).exp()
            den = den * old + p.sum(-1)
            num = num * old[..., None] + torch.einsum("grt,tgd->grd", p, v.to(acc_t))
            m = top
        out[b] = (num / den[..., None]).view(H, D).to(out.dtype)
    return out
