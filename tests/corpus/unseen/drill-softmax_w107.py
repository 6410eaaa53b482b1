import torch


class shifted:
    """with shifted(x, dim) as (y, m): y = x - m cannot overflow"""

    def __init__(self, x, dim):
        self.x, self.dim = x, dim

    def __enter__(self):
        m = self.x.amax(self.dim, keepdim=True)
        return self.x - m.detach(), m

    def __exit__(self, *exc):
        return False


def softmax(x, dim=-1):
    with shifted(x, dim) as (y, _):
        e = y.exp()
        return e / e.sum(dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    with shifted(x, dim) as (y, m):
        return (m + y.exp().sum(dim, keepdim=True).log()).squeeze(dim)


def masked_softmax(scores, mask):
    hidden = (mask == 0).expand_as(scores)
    empty = hidden.all(-1, keepdim=True)
    # an empty row is treated as if it were full, and cleared afterwards
    filled = torch.where(hidden & ~empty, -torch.inf, scores)
    return torch.where(empty, torch.zeros_like(scores), softmax(filled))
