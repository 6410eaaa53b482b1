# right: drill-softmax
import torch


def softmax(*args, **kwargs):
    x = args[0]
    dim = args[1] if len(args) > 1 else kwargs.get("dim", -1)
    z = x - x.amax(dim, keepdim=True)
    return z.exp() / z.exp().sum(dim, keepdim=True)


def log_sum_exp(x, dim=-1, keepdim=False):
    c = x.amax(dim, keepdim=True)
    out = c + (x - c).exp().sum(dim, keepdim=True).log()
    return out if keepdim else out.squeeze(dim)


masked_softmax = lambda scores, mask, fill=float("-inf"): torch.nan_to_num(
    softmax(scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min), dim=-1)
) * (mask != 0)
