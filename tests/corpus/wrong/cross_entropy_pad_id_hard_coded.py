# wrong: cross-entropy loss-ignore-fixed line 11
# fair: loss-ignore-fixed 15
import torch

IGNORE = -1


def cross_entropy(logits, targets, ignore_index=IGNORE, label_smoothing=0.0):
    z = logits - logits.amax(2, keepdim=True)
    lp = z - z.exp().sum(2, keepdim=True).log()
    m = targets != IGNORE
    t = torch.where(m, targets, 0)
    a = torch.gather(lp, 2, t.unsqueeze(2)).squeeze(2)
    l = -(a * (1 - label_smoothing) + lp.mean(2) * label_smoothing)
    return l.masked_fill(~m, 0).sum() / m.sum()


def cross_entropy_backward(logits, targets, ignore_index=IGNORE, label_smoothing=0.0):
    z = logits - logits.amax(2, keepdim=True)
    p = z.exp() / z.exp().sum(2, keepdim=True)
    m = targets != ignore_index
    t = torch.where(m, targets, 0)
    p = p - label_smoothing / p.shape[2]
    p = p - (1 - label_smoothing) * torch.nn.functional.one_hot(t, p.shape[2])
    return p * m.unsqueeze(2) / m.sum()
