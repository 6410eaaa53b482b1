# wrong: drill-softmax mask-multiplied line 19
import torch


def softmax(x, dim=-1):
    e = torch.exp(x - torch.amax(x, dim, keepdim=True))
    return e / torch.sum(e, dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    peak = torch.amax(x, dim, keepdim=True)
    logs = torch.log(torch.sum(torch.exp(x - peak), dim, keepdim=True))
    return torch.squeeze(logs + peak, dim)


def masked_softmax(scores, mask):
    wanted = mask.to(scores.dtype).broadcast_to(scores.shape)
    rows = wanted.amax(-1, keepdim=True)
    kept = torch.mul(scores, wanted)
    return softmax(kept) * rows
