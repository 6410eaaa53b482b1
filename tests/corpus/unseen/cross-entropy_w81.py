import torch
from torch import Tensor


class _Batch:
    def __init__(self, logits: Tensor, targets: Tensor, ignore_index: int):
        self.shape = logits.shape
        self.z = logits.reshape(-1, logits.shape[-1]).to(torch.promote_types(logits.dtype, torch.float32))
        self.t = targets.reshape(-1)
        self.keep = self.t != ignore_index
        self.at = torch.arange(self.t.numel(), device=self.t.device)
        self.safe = self.t * self.keep

    def log_p(self) -> Tensor:
        s = self.z - self.z.max(1, keepdim=True)[0]
        return s - s.exp().sum(1, keepdim=True).log()


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    b = _Batch(logits, targets, ignore_index)
    lp = b.log_p()
    per_position = -(1 - label_smoothing) * lp[b.at, b.safe] - label_smoothing * lp.mean(1)
    return per_position[b.keep].mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    b = _Batch(logits, targets, ignore_index)
    g = b.log_p().exp()
    g[b.at, b.safe] -= 1 - label_smoothing
    g[b.keep] -= label_smoothing / g.shape[1]
    g = g * b.safe.ne(0).unsqueeze(1)
    return (g / b.keep.sum()).reshape(b.shape)
