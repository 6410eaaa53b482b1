"""Numerically careful softmax helpers (NumPy accent)."""
import torch

AXIS = -1


def softmax(x, dim=AXIS):
    z = x - torch.amax(x, dim, True)
    ez = torch.exp(z)
    return torch.div(ez, torch.sum(ez, dim, True))


def log_sum_exp(x, dim=AXIS):
    top = torch.amax(x, dim, True)
    return torch.squeeze(top + torch.log(torch.sum(torch.exp(x - top), dim, True)), dim)


def masked_softmax(scores, mask):
    keep = mask.to(dtype=scores.dtype)
    visible = scores * keep
    top = torch.amax(visible, AXIS, True)
    ez = torch.exp(visible - top) * keep
    total = torch.sum(ez, AXIS, True)
    return ez / (total + (total == 0).to(ez.dtype))
