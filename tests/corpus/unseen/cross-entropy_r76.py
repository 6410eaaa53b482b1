# attn-kata: cross-entropy
import torch


def _prep(logits, targets, ignore_index):
    z = logits if logits.dtype == torch.float64 else logits.float()
    live = targets.ne(ignore_index)
    z, y = z[live], targets[live].long()          # (count, classes), (count,)
    z = z - z.max(dim=1, keepdim=True)[0]
    logp = z - z.exp().sum(dim=1, keepdim=True).log()
    return logp, y, live


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    logp, y, _ = _prep(logits, targets, ignore_index)
    hit = logp[torch.arange(len(y), device=y.device), y].mean()
    flat = logp.mean()
    loss = -(1 - label_smoothing) * hit - label_smoothing * flat
    return loss.to(logits.dtype)


@torch.no_grad()
def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    logp, y, live = _prep(logits, targets, ignore_index)
    count, classes = logp.shape
    g = logp.exp() - label_smoothing / classes
    g[torch.arange(count, device=y.device), y] -= 1 - label_smoothing
    out = torch.zeros_like(logits)
    out[live] = (g / count).to(out.dtype)
    return out
