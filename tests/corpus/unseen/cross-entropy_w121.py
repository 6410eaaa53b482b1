import torch


def soft_targets(targets, like, eps):
    """keras-style: one-hot labels, softened"""
    num_classes = like.shape[-1]
    off_value = eps / (num_classes - 1) if eps > 0 else 0.0
    on_value = 1.0 - eps
    labels = torch.full_like(like, off_value)
    return labels.scatter(-1, targets.unsqueeze(-1), on_value)


def log_probabilities(logits):
    shifted = logits - logits.max(dim=-1, keepdim=True).values
    return shifted - torch.log(torch.sum(torch.exp(shifted), dim=-1, keepdim=True))


def _setup(logits, targets, ignore_index, label_smoothing):
    x = logits if logits.dtype == torch.float64 else logits.float()
    sample_weight = (targets != ignore_index).to(x.dtype)
    safe_targets = torch.where(targets != ignore_index, targets, 0).long()
    labels = soft_targets(safe_targets, x.detach(), label_smoothing)
    return x, labels, sample_weight


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    x, labels, sample_weight = _setup(logits, targets, ignore_index, label_smoothing)
    per_position = -torch.sum(labels * log_probabilities(x), dim=-1)
    loss = torch.sum(per_position * sample_weight) / torch.sum(sample_weight)
    return loss.to(logits.dtype)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    x, labels, sample_weight = _setup(logits, targets, ignore_index, label_smoothing)
    probs = torch.exp(log_probabilities(x))
    grad = (probs - labels) * (sample_weight / sample_weight.sum()).unsqueeze(-1)
    return grad.to(logits.dtype)
