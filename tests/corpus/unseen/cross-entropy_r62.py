import torch
import torch.nn.functional as F

SLICE = 128      # positions at a time, so that fp32 copies of a large vocabulary stay small


def _q(y, keep, classes, eps, dtype):
    """Target distribution, (n, classes); rows that do not count are 0."""
    hot = F.one_hot(torch.where(keep, y, torch.zeros_like(y)), classes).to(dtype)
    return ((1.0 - eps) * hot + eps / classes) * keep.unsqueeze(-1)


def _log_p(z):
    top = z.detach().amax(-1, keepdim=True)
    z = z - top
    return z - torch.log(torch.sum(torch.exp(z), -1, keepdim=True))


def _slices(logits, targets, ignore_index, eps):
    wide = torch.promote_types(logits.dtype, torch.float32)
    flat_z, flat_y = logits.flatten(0, 1), targets.flatten().long()
    keep = flat_y != ignore_index
    n = keep.sum().to(wide)
    for z, y, k in zip(flat_z.split(SLICE), flat_y.split(SLICE), keep.split(SLICE)):
        yield _log_p(z.to(wide)), _q(y, k, z.size(-1), eps, wide), k, n


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    total = 0.0
    for lp, q, _, n in _slices(logits, targets, ignore_index, label_smoothing):
        total = total - torch.tensordot(q, lp, dims=2) / n
    return total


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    with torch.no_grad():
        parts = [
            (lp.exp() * k[:, None] - q) / n
            for lp, q, k, n in _slices(logits, targets, ignore_index, label_smoothing)
        ]
        return torch.cat(parts).view_as(logits).to(logits.dtype)
