"""Cross-entropy whose log-partition is a tournament of logaddexp: pairs of classes, then pairs of pairs."""
import torch
from torch import Tensor


def _log_partition(z: Tensor) -> Tensor:
    while z.size(-1) > 1:
        half = z.size(-1) // 2
        joined = torch.logaddexp(z[..., :half], z[..., half : 2 * half])
        z = torch.cat([joined, z[..., 2 * half :]], dim=-1)
    return z


def _prepare(logits, targets, ignore_index):
    wide = logits if logits.dtype == torch.float64 else logits.float()
    flat = wide.reshape(-1, logits.size(-1))
    goal = targets.reshape(-1)
    rows = torch.nonzero(goal != ignore_index).squeeze(1)
    return flat, goal.index_select(0, rows).long(), rows


def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    flat, goal, rows = _prepare(logits, targets, ignore_index)
    z = flat.index_select(0, rows)          # what does not count never enters
    shifted = z - z.amax(-1, keepdim=True)
    logp = shifted - _log_partition(shifted)
    hit = logp.gather(1, goal[:, None]).squeeze(1)
    per_row = torch.lerp(hit, logp.mean(-1), label_smoothing)
    return -(per_row.sum() / rows.numel()).to(logits.dtype)


@torch.no_grad()
def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    flat, goal, rows = _prepare(logits, targets, ignore_index)
    n, classes = rows.numel(), flat.size(-1)
    z = flat.index_select(0, rows)
    z = z - z.amax(-1, keepdim=True)
    g = torch.exp(z - _log_partition(z)) - label_smoothing / classes
    g = g.scatter_add(1, goal[:, None], torch.full_like(g[:, :1], label_smoothing - 1.0))
    out = torch.zeros_like(flat).index_copy(0, rows, g / n)
    return out.view(logits.shape).to(logits.dtype)
