# wrong: cross-entropy smoothing-added line 17
# fair: smoothing-added 18
from torch import Tensor


def stable(z: Tensor) -> Tensor:
    z = z - z.max(dim=-1, keepdim=True).values
    return z - z.exp().sum(dim=-1, keepdim=True).log()


def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0):
    log_p = stable(logits)
    counts = targets != ignore_index
    idx = targets.masked_fill(~counts, 0).unsqueeze(-1)
    hard = log_p.gather(-1, idx).squeeze(-1)
    soft = log_p.mean(dim=-1)
    total = hard + label_smoothing * soft
    return -total[counts].mean()


def cross_entropy_backward(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0):
    p = stable(logits).exp()
    counts = targets != ignore_index
    idx = targets.masked_fill(~counts, 0).unsqueeze(-1)
    p = p - label_smoothing / p.shape[-1]
    p = p.scatter(-1, idx, p.gather(-1, idx) - (1 - label_smoothing))
    return p.masked_fill(~counts.unsqueeze(-1), 0.0) / counts.sum()
