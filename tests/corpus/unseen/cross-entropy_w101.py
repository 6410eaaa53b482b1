import torch


def _log_probs(logits):
    z = logits - logits.max(dim=-1, keepdim=True).values
    return z - torch.log(torch.exp(z).sum(dim=-1, keepdim=True))


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    logits = logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits
    B, T, C = logits.shape
    logp = _log_probs(logits).view(B * T, C)
    targets = targets.reshape(B * T)
    keep = (targets != ignore_index)
    safe = targets.masked_fill(~keep, 0)

    picked = logp.gather(1, safe[:, None].long())[:, 0]
    uniform = logp.mean(dim=1)
    per_token = -((1 - label_smoothing) * picked + label_smoothing * uniform)
    return (per_token * keep).sum() / keep.sum()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    logits = logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits
    B, T, C = logits.shape
    dlogits = _log_probs(logits).exp()
    keep = (targets != ignore_index)
    safe = targets.masked_fill(~keep, 0)

    dlogits -= label_smoothing / C
    hit = torch.full_like(dlogits[..., :1], 1 - label_smoothing)
    dlogits.scatter_add_(-1, safe[..., None].long(), -hit)
    dlogits *= keep[..., None]
    dlogits /= keep.numel()
    return dlogits
