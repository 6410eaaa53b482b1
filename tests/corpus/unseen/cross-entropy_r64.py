import torch


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    B, T, C = logits.shape
    x = logits
    if x.dtype == torch.float16 or x.dtype == torch.bfloat16:
        x = x.float()
    keep = targets != ignore_index
    n = keep.sum()
    safe = torch.where(keep, targets, torch.zeros_like(targets))

    biggest = x.max(dim=2, keepdim=True)[0]
    lse = biggest + (x - biggest).exp().sum(dim=2, keepdim=True).log()   # B, T, 1

    hit = x.gather(2, safe.unsqueeze(2).long())
    hard = (lse - hit).squeeze(2)                    # -log p of the target
    soft = (lse - x).mean(dim=2)                     # mean of -log p over classes
    each = (1 - label_smoothing) * hard + label_smoothing * soft
    each = each.masked_fill(~keep, 0.0)
    return (each / n).sum().to(logits.dtype)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    B, T, C = logits.shape
    x = logits.detach()
    if x.dtype == torch.float16 or x.dtype == torch.bfloat16:
        x = x.float()
    keep = targets != ignore_index
    n = keep.sum()
    safe = torch.where(keep, targets, torch.zeros_like(targets))

    biggest = x.max(dim=2, keepdim=True)[0]
    e = (x - biggest).exp()
    p = e / e.sum(dim=2, keepdim=True)

    p = p - label_smoothing / C
    minus = torch.full_like(p[:, :, :1], label_smoothing - 1)
    p = p.scatter_add(2, safe.unsqueeze(2).long(), minus)
    p = p / n
    p = p.masked_fill(~keep.unsqueeze(2), 0.0)
    return p.to(logits.dtype)
