import torch


def _log_probs(z):
    top = z.max(dim=-1, keepdim=True)[0].detach()
    shifted = z - top
    return shifted - shifted.exp().sum(dim=-1, keepdim=True).log()


def _soft_targets(targets, counted, classes, eps, like):
    """(1 - eps) * one_hot + eps / C as a dense tensor; rows that do not count are 0"""
    idx = targets * counted.long()
    q = torch.full((*targets.shape, classes), eps / classes, dtype=like.dtype, device=like.device)
    q = q.scatter_add(-1, idx.long()[..., None], torch.full_like(q[..., :1], 1.0 - eps))
    return q * counted[..., None].to(like.dtype)


def _wide(t):
    return t.to(torch.promote_types(t.dtype, torch.float32))


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    z = _wide(logits)
    ok = torch.ne(targets, ignore_index)
    q = _soft_targets(targets, ok, z.size(-1), label_smoothing, z)
    return -torch.einsum("btc,btc->", q, _log_probs(z)).div(ok.sum()).to(logits.dtype)


@torch.no_grad()
def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    z = _wide(logits)
    ok = torch.ne(targets, ignore_index)
    q = _soft_targets(targets, ok, z.size(-1), label_smoothing, z)
    p = _log_probs(z).exp() * ok.unsqueeze(-1)
    return ((p - q) / ok.sum()).to(logits.dtype)
