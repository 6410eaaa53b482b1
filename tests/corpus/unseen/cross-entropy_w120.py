import torch


class LabelSmoothingCriterion:
    def __init__(self, classes, ignore_index, smoothing):
        self.classes = classes
        self.ignore_index = ignore_index
        self.smoothing = smoothing

    def true_dist(self, targets, keep, dtype):
        index = torch.where(keep, targets.long(), 0).unsqueeze(2)
        dist = torch.zeros(*targets.shape, self.classes, dtype=dtype, device=targets.device)
        dist = dist.scatter(2, index, 1.0)
        return dist * (1.0 - self.smoothing) + self.smoothing / self.classes

    def log_softmax(self, logits):
        if logits.dtype != torch.float64:
            logits = logits.float()
        logits = logits - torch.max(logits, dim=2, keepdim=True)[0]
        return logits - torch.log(torch.sum(torch.exp(logits), dim=2, keepdim=True))

    def divergence(self, dist, logp):
        return torch.sum(torch.xlogy(dist, dist) - dist * logp, dim=2)

    def forward(self, logits, targets):
        keep = targets != self.ignore_index
        logp = self.log_softmax(logits)
        losses = self.divergence(self.true_dist(targets, keep, logp.dtype), logp)
        return torch.masked_select(losses, keep).mean()

    def backward(self, logits, targets):
        keep = targets != self.ignore_index
        logp = self.log_softmax(logits)
        delta = torch.exp(logp) - self.true_dist(targets, keep, logp.dtype)
        return torch.where(keep.unsqueeze(2), delta, 0.0) / torch.sum(keep)


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    criterion = LabelSmoothingCriterion(logits.shape[2], ignore_index, label_smoothing)
    return criterion.forward(logits, targets).to(logits.dtype)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    criterion = LabelSmoothingCriterion(logits.shape[2], ignore_index, label_smoothing)
    return criterion.backward(logits, targets).to(logits.dtype)
