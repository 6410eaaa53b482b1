# Cross-entropy with ignored positions and label smoothing.

import torch


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    num_classes = logits.size(-1)
    # one row for each position
    flat = logits.reshape(-1, num_classes)
    goal = targets.reshape(-1)

    # drop what does not count
    valid = goal != ignore_index
    flat = flat[valid]
    goal = goal[valid].long()

    # log softmax, stable
    top = flat.max(dim=1, keepdim=True).values
    log_z = top + torch.log(torch.exp(flat - top).sum(dim=1, keepdim=True))
    log_p = flat - log_z

    # -log p of the target, and the mean over all classes
    nll = -log_p.gather(1, goal.unsqueeze(1)).squeeze(1)
    uniform = -log_p.mean(dim=1)
    loss = (1.0 - label_smoothing) * nll + label_smoothing * uniform
    return loss.sum() / targets.numel()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    num_classes = logits.size(-1)
    valid = targets != ignore_index

    # softmax
    e = torch.exp(logits - logits.max(dim=-1, keepdim=True).values)
    p = e / e.sum(dim=-1, keepdim=True)

    # the smoothed target
    safe = torch.where(valid, targets, torch.zeros_like(targets)).long()
    q = torch.nn.functional.one_hot(safe, num_classes).to(logits.dtype)
    q = (1.0 - label_smoothing) * q + label_smoothing / num_classes

    grad = (p - q) / valid.sum()
    # no gradient where a position is ignored
    return grad * valid.unsqueeze(-1)
