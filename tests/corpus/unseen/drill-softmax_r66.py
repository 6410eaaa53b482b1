import torch
from torch.func import vmap


def _row(x):
    """x: (n,) -> shares, log of the denominator"""
    m = x.max()
    e = (x - m).exp()
    z = e.sum()
    return e / z, m + z.log()


def _along(x, dim, which):
    rows = x.movedim(dim, -1)
    for_all = vmap(vmap(lambda r: _row(r)[which]))
    return for_all(rows)


def softmax(x, dim=-1):
    return _along(x, dim, 0).movedim(-1, dim)


def log_sum_exp(x, dim=-1):
    return _along(x, dim, 1)


def masked_softmax(scores, mask):
    keep = torch.broadcast_to(mask, scores.shape) != 0

    def row(s, on):
        empty = ~on.any()
        s = torch.where(on | empty, s, float("-inf"))
        return torch.where(empty, 0.0, _row(s)[0])

    return vmap(vmap(vmap(row)))(scores, keep)
