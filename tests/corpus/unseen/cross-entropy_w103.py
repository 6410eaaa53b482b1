import torch
import torch.nn.functional as F


class SmoothedTargets:
    """Targets as distributions over the classes."""

    def __init__(self, epsilon: float, classes: int):
        self.epsilon = epsilon
        self.classes = classes

    def __call__(self, targets: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        off_value = self.epsilon / (self.classes - 1)
        on_value = 1.0 - self.epsilon
        shape = (*targets.shape, self.classes)
        dist = torch.full(shape, off_value, dtype=dtype, device=targets.device)
        dist.scatter_(-1, targets.unsqueeze(-1), on_value)
        return dist


def _working(logits: torch.Tensor) -> torch.Tensor:
    return logits.to(torch.promote_types(logits.dtype, torch.float32))


def _log_normaliser(x: torch.Tensor) -> torch.Tensor:
    top = x.max(-1, keepdim=True)[0]
    return top + torch.log(torch.sum(torch.exp(x - top), -1, keepdim=True))


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    x = _working(logits)
    log_p = x - _log_normaliser(x)
    active = targets != ignore_index
    index = torch.where(active, targets, torch.zeros_like(targets)).long()
    hit = F.one_hot(index, x.shape[-1]).bool()
    own = log_p[hit].view_as(targets)
    loss = -(1.0 - label_smoothing) * own - label_smoothing * log_p.mean(-1)
    return loss[active].mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    x = _working(logits)
    p = torch.exp(x - _log_normaliser(x))
    active = targets != ignore_index
    index = torch.where(active, targets, torch.zeros_like(targets)).long()
    q = SmoothedTargets(label_smoothing, x.shape[-1])(index, x.dtype)
    grad = (p - q) / active.sum()
    return torch.where(active.unsqueeze(-1), grad, torch.zeros_like(grad))
