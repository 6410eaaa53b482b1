# wrong: cross-entropy loss-mean-of-means line 14
# fair: loss-mean-of-means 13
import torch


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    per_sentence = []
    for z, y in zip(logits, targets):
        z, y = z[y != ignore_index], y[y != ignore_index]
        z = z - z.max(dim=1, keepdim=True).values
        logp = z - z.exp().sum(dim=1, keepdim=True).log()
        nll = -logp[range(len(y)), y]
        per_sentence.append(((1 - label_smoothing) * nll - label_smoothing * logp.mean(dim=1)).mean())
    return torch.stack(per_sentence).mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    valid = targets != ignore_index
    z = logits - logits.max(dim=-1, keepdim=True).values
    p = z.exp() / z.exp().sum(dim=-1, keepdim=True)
    g = p - label_smoothing / p.shape[-1]
    g[valid] = g[valid].scatter_add(
        1, targets[valid][:, None], p.new_full((int(valid.sum()), 1), label_smoothing - 1)
    )
    return torch.where(valid[..., None], g, 0.0) / valid.sum()
