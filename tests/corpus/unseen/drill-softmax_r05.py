import torch


def _shifted_exp(x, dim):
    # 平移不改变 softmax 的值；峰值不需要梯度
    peak = x.detach().amax(dim=dim, keepdim=True)
    return torch.exp(x - peak), peak


def softmax(x, dim=-1):
    numer, _ = _shifted_exp(x, dim)
    return numer / numer.sum(dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    numer, peak = _shifted_exp(x, dim)
    return numer.sum(dim).log() + peak.squeeze(dim)


def masked_softmax(scores, mask):
    on = (mask != 0).expand_as(scores)
    lowest = torch.finfo(scores.dtype).min
    # 被遮住的位置先换成最低值，再求最大值
    peak = scores.detach().masked_fill(on.logical_not(), lowest).amax(-1, keepdim=True)
    shifted = torch.where(on, scores - peak, torch.zeros_like(scores))
    numer = torch.where(on, shifted.exp(), torch.zeros_like(scores))
    denom = numer.sum(-1, keepdim=True)
    denom = torch.where(denom > 0, denom, torch.ones_like(denom))
    return numer / denom
