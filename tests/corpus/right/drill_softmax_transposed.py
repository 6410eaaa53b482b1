# right: drill-softmax
import torch


def _last(fn):
    def on_axis(x, dim=-1):
        return fn(x.movedim(dim, -1)).movedim(-1, dim)
    return on_axis


@_last
def softmax(x):
    e = 2.718281828459045 ** (x - x.max(-1, True).values)
    return e / e.sum(-1, True)


def log_sum_exp(x, dim=-1):
    y = x.movedim(dim, -1)
    hi = y.max(-1).values
    return hi + (y - hi[..., None]).exp().sum(-1).log()


def masked_softmax(scores, mask):
    mask = torch.broadcast_to(mask != 0, scores.shape)
    any_open = mask.any(-1, keepdim=True)
    safe = scores.masked_fill(~mask, float("-inf")).masked_fill(~any_open, 0.0)
    return softmax(safe, -1) * any_open
