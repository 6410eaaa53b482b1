from dataclasses import dataclass

import torch
from torch import Tensor


def log_probs(logits: Tensor) -> Tensor:
    logits = logits if logits.dtype == torch.float64 else logits.float()
    shifted = logits - logits.max(dim=-1, keepdim=True).values
    return shifted - torch.log(torch.exp(shifted).sum(dim=-1, keepdim=True))


@dataclass
class LabelSmoother:
    epsilon: float = 0.0
    ignore_index: int = -1

    def __call__(self, logits: Tensor, labels: Tensor) -> Tensor:
        log_p = log_probs(logits)
        labels = labels.unsqueeze(-1)
        padding_mask = labels.eq(self.ignore_index)
        labels = labels.masked_fill(padding_mask, 0).long()

        nll_loss = -log_p.gather(dim=-1, index=labels)
        smoothed_loss = -log_p.sum(dim=-1, keepdim=True)
        nll_loss = nll_loss.masked_fill(padding_mask, 0.0)
        smoothed_loss = smoothed_loss.masked_fill(padding_mask, 0.0)

        num_active = padding_mask.numel() - padding_mask.long().sum()
        nll_loss = nll_loss.sum() / num_active
        smoothed_loss = smoothed_loss.sum() / num_active
        return (1 - self.epsilon) * nll_loss + self.epsilon * smoothed_loss


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    return LabelSmoother(label_smoothing, ignore_index)(logits, targets)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    probs = log_probs(logits).exp()
    classes = torch.arange(logits.shape[-1], device=logits.device)
    hard = (targets[..., None] == classes).to(probs.dtype)
    soft = hard * (1 - label_smoothing) + label_smoothing / logits.shape[-1]
    active = (targets != ignore_index)[..., None]
    return torch.where(active, probs - soft, torch.zeros_like(probs)) / active.sum()
