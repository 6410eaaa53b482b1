"""Cross-entropy of logits, and its gradient, by hand: stable, with targets that do not count.

Label smoothing is Szegedy et al. 2016, Rethinking the Inception Architecture, section 7: the
target keeps 1 − ε, and ε is dealt out evenly to all classes.
"""

from __future__ import annotations

import torch
from torch import Tensor


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    """Return the mean of −log p(target) over the positions that count, a scalar.

    logits is (batch, length, classes), any float dtype; targets is (batch, length), integers from
    0 to classes − 1, or ignore_index, where a position does not count. One counts at least.
    """
    counted = targets != ignore_index
    # What does not count may be no class at all; class 0 stands for it, and is left out below.
    classes_asked = targets.masked_fill(~counted, 0)
    shifted = logits - logits.amax(dim=-1, keepdim=True)  # (batch, length, classes)
    log_total = shifted.exp().sum(dim=-1, keepdim=True).log()  # (batch, length, 1)
    log_probs = shifted - log_total  # (batch, length, classes)
    picked = log_probs.gather(-1, classes_asked.unsqueeze(-1)).squeeze(-1)  # (batch, length)
    spread = log_probs.mean(dim=-1)  # (batch, length)
    losses = -(1 - label_smoothing) * picked - label_smoothing * spread  # (batch, length)
    counted_losses = losses.masked_fill(~counted, 0)  # (batch, length)
    loss = counted_losses.sum() / counted.sum()
    return loss


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    """Return the gradient of that loss with respect to the logits, (batch, length, classes)."""
    kept = targets != ignore_index
    wanted = targets.masked_fill(~kept, 0)
    exps = (logits - logits.amax(dim=-1, keepdim=True)).exp()  # (batch, length, classes)
    probabilities = exps / exps.sum(dim=-1, keepdim=True)  # (batch, length, classes)
    one_hot = torch.zeros_like(logits).scatter(-1, wanted.unsqueeze(-1), 1)
    even = label_smoothing / logits.shape[-1]
    smoothed = (1 - label_smoothing) * one_hot + even  # (batch, length, classes)
    differences = probabilities - smoothed  # (batch, length, classes)
    kept_differences = differences.masked_fill(~kept.unsqueeze(-1), 0)  # (batch, length, classes)
    grad_logits = kept_differences / kept.sum()  # (batch, length, classes)
    return grad_logits
