import torch
import torch.nn.functional as F


def _logp(logits):
    logits = logits.float() if logits.dtype != torch.float64 else logits
    shifted = logits - logits.max(-1, keepdim=True).values
    return shifted - torch.log(torch.exp(shifted).sum(-1, keepdim=True))


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    logp = _logp(logits)
    pad = targets == ignore_index
    safe = targets.masked_fill(pad, 0)
    nll = -logp.gather(-1, safe.unsqueeze(-1)).squeeze(-1)
    nll = nll.masked_fill(pad, 0.0).sum() / (~pad).sum()
    uniform = -logp.mean()
    loss = (1.0 - label_smoothing) * nll + label_smoothing * uniform
    return loss.to(logits.dtype)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    n_class = logits.shape[-1]
    p = _logp(logits).exp()
    pad = targets == ignore_index
    q = F.one_hot(targets.masked_fill(pad, 0), n_class).to(p.dtype)
    q = q * (1.0 - label_smoothing) + label_smoothing / n_class
    g = (p - q) / (~pad).sum()
    return g.masked_fill(pad[..., None], 0.0).to(logits.dtype)
