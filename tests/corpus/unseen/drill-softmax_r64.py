# numerics, JAX habits: everything is where(), nothing is indexed
import torch


def _max(x, dim):
    return x.amax(dim=dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    m = _max(x, dim)
    return (m + (x - m).exp().sum(dim=dim, keepdim=True).log()).squeeze(dim)


def softmax(x, dim=-1):
    # exp(x - lse): the shares straight from the logarithm of the denominator,
    # on the shifted values so that nothing is lost where x is in the thousands
    y = x - _max(x, dim)
    return (y - log_sum_exp(y, dim).unsqueeze(dim)).exp()


def masked_softmax(scores, mask):
    keep = mask.to(torch.bool)
    zero = torch.zeros_like(scores)
    low = torch.full_like(scores, torch.finfo(scores.dtype).min)
    seen = torch.where(keep, scores, low)
    m = _max(seen, -1)
    numer = torch.where(keep, torch.exp(torch.where(keep, seen - m, zero)), zero)
    denom = numer.sum(dim=-1, keepdim=True)
    safe = torch.where(denom > 0, denom, torch.ones_like(denom))
    return numer / safe
