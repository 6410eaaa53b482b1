# attn-kata: cross-entropy
# Per-site score matrices (n_seq, n_site, n_state); unresolved sites carry ignore_index.
from __future__ import annotations

import torch
from torch import Tensor


def _centre(logits: Tensor) -> Tensor:
    return logits - logits.max(dim=-1, keepdim=True).values


def _log_partition(centred: Tensor) -> Tensor:
    return centred.exp().sum(dim=-1).log()


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    resolved = targets != ignore_index
    states = torch.where(resolved, targets, 0).long()

    energy = _centre(logits)
    log_z = _log_partition(energy)
    own = energy.gather(-1, states[..., None])[..., 0]
    sharp = log_z - own
    flat = -energy.mean(dim=-1)
    site = (1 - label_smoothing) * sharp + label_smoothing * flat
    return torch.where(resolved, site, torch.zeros_like(site)).sum() / resolved.sum()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    n_state = logits.shape[-1]
    resolved = targets != ignore_index
    states = torch.where(resolved, targets, 0).long()

    energy = _centre(logits)
    prob = torch.exp(energy - _log_partition(energy)[..., None])
    wanted = torch.full_like(prob, label_smoothing / n_state)
    wanted.scatter_add_(-1, states[..., None], torch.full_like(prob[..., :1], 1 - label_smoothing))
    diff = torch.where(resolved[..., None], prob - wanted, torch.zeros_like(prob))
    return diff / resolved.sum()
