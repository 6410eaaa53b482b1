import torch


def log_total(logits):
    """log Σ exp over the last axis: a tree of logaddexp, halves joined by recursion."""
    n = logits.shape[-1]
    if n == 1:
        return logits
    if n % 2:
        return torch.logaddexp(log_total(logits[..., :-1]), logits[..., -1:])
    return log_total(torch.logaddexp(*logits.chunk(2, dim=-1)))


def prepare(logits, targets, *, ignore_index=-1, label_smoothing=0.0):
    keep = targets != ignore_index
    rows, labels = logits[keep], targets[keep].long()  # (count, classes), (count,)
    rows = rows.to(torch.promote_types(rows.dtype, torch.float32))
    return keep, rows, labels, label_smoothing


def accepts_positional(fn):
    names = ("ignore_index", "label_smoothing")

    def outer(logits, targets, *options, **named):
        named.update(zip(names, options))
        return fn(logits, *prepare(logits, targets, **named))

    return outer


@accepts_positional
def cross_entropy(logits, keep, rows, labels, eps):
    norm = log_total(rows).squeeze(-1)
    hit = rows.gather(-1, labels[:, None]).squeeze(-1)
    # -Σ q log p = norm - Σ q logit, since q adds up to 1
    expected = (1 - eps) * hit + eps * rows.mean(dim=-1)
    return (norm - expected).mean().to(logits.dtype)


@accepts_positional
def cross_entropy_backward(logits, keep, rows, labels, eps):
    p = torch.exp(rows - log_total(rows))
    q = torch.full_like(p, eps / p.shape[-1])
    q.scatter_add_(-1, labels[:, None], torch.full_like(p[:, :1], 1 - eps))
    out = torch.zeros_like(logits)
    out[keep] = ((p - q) / labels.numel()).to(out.dtype)
    return out
