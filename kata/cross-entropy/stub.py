# attn-kata: cross-entropy
from __future__ import annotations

import torch
from torch import Tensor


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    """The mean of -log p(target) over the positions that count.

    logits           (batch, length, classes), any float dtype; p is their softmax
    targets          (batch, length), integers: a class, from 0 to classes - 1, or ignore_index
    ignore_index     a position with this target does not count: neither in the sum, nor in the
                     number that it is divided by. It may be a class too, and may be none
    label_smoothing  this share of the target's 1 is dealt out evenly to all classes, the target
                     among them
    returns          a scalar; at least one position counts

    By hand: no cross_entropy, nll_loss, softmax, log_softmax or logsumexp of torch. Logits in the
    thousands must give neither NaN nor infinity.
    """
    raise NotImplementedError("write me")


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    """The gradient of that loss with respect to the logits.

    returns  (batch, length, classes), 0 where a position does not count

    By hand as well: autograd may not be used. Only values are judged, no gradients of gradients.
    """
    raise NotImplementedError("write me")
