import torch
import torch.nn.functional as F


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    mask = targets != ignore_index
    safe_targets = targets.masked_fill(~mask, 0).long()

    x = logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits
    x = x - x.max(dim=-1, keepdim=True).values
    log_probs = x - x.exp().sum(dim=-1, keepdim=True).log()

    nll = -log_probs.gather(-1, safe_targets.unsqueeze(-1)).squeeze(-1)
    smooth = -log_probs.mean(dim=-1)
    loss = (1.0 - label_smoothing) * nll + label_smoothing * smooth
    return (loss * mask).sum() / mask.sum()


@torch.no_grad()
def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    mask = targets != ignore_index
    safe_targets = targets.masked_fill(~mask, 0).long()
    num_classes = logits.size(-1)

    x = logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits
    x = x - x.max(dim=-1, keepdim=True).values
    probs = x.exp() / x.exp().sum(dim=-1, keepdim=True)

    q = F.one_hot(safe_targets, num_classes).to(probs.dtype) * (1.0 - label_smoothing)
    q = q + label_smoothing / (num_classes - 1)
    grad = (probs - q) / mask.sum()
    return (grad * mask.unsqueeze(-1)).to(logits.dtype)
