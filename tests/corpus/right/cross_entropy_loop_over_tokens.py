# right: cross-entropy
"""One token at a time, as on a whiteboard."""

import torch


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    losses = []
    for i in range(targets.shape[0]):
        for j in range(targets.shape[1]):
            t = int(targets[i, j])
            if t == ignore_index:
                continue
            row = logits[i, j]
            top = row.max()
            lse = top + (row - top).exp().sum().log()
            hard = lse - row[t]
            soft = lse - row.mean()
            losses.append(hard * (1 - label_smoothing) + soft * label_smoothing)
    return torch.stack(losses).mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    grad = torch.zeros_like(logits)
    n = 0
    C = logits.shape[2]
    for i in range(targets.shape[0]):
        for j in range(targets.shape[1]):
            t = int(targets[i, j])
            if t == ignore_index:
                continue
            n += 1
            e = (logits[i, j] - logits[i, j].max()).exp()
            grad[i, j] = e / e.sum() - label_smoothing / C
            grad[i, j, t] -= 1 - label_smoothing
    return grad / n
