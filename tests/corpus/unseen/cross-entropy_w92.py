import torch

# port of an old tf.train script, hence the names


def smooth_labels(labels, depth, eps, dtype):
    onehot = torch.nn.functional.one_hot(labels, depth).to(dtype)
    off = eps / (depth - 1)
    on = 1.0 - eps
    return onehot * on + (1.0 - onehot) * off


def softmax_stats(x):
    c = x - torch.max(x, dim=2, keepdim=True).values
    e = torch.exp(c)
    z = torch.sum(e, dim=2, keepdim=True)
    return c - torch.log(z), e / z


def _prepare(logits, targets, ignore_index, eps):
    weights = (targets != ignore_index)
    labels = torch.where(weights, targets, torch.zeros_like(targets)).long()
    return weights.to(logits.dtype), smooth_labels(labels, logits.shape[2], eps, logits.dtype)


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    w, q = _prepare(logits, targets, ignore_index, label_smoothing)
    logp, _ = softmax_stats(logits)
    xent = -torch.sum(q * logp, dim=2)
    return torch.sum(xent * w) / torch.sum(w)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    w, q = _prepare(logits, targets, ignore_index, label_smoothing)
    _, p = softmax_stats(logits)
    return (p - q) * (w / torch.sum(w))[..., None]
