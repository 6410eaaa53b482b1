import torch


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    C = logits.size(-1)
    x = logits.reshape(-1, C)
    y = targets.view(-1)
    valid = y.ne(ignore_index)
    n = valid.sum()
    y.masked_fill_(~valid, 0)  # a class that can be looked up

    if x.dtype in (torch.half, torch.bfloat16):
        x = x.float()
    m = x.amax(dim=1)
    lse = m + (x - m[:, None]).exp().sum(1).log()
    nll = lse - x.gather(1, y[:, None])[:, 0]
    uniform = lse - x.mean(1)
    per_row = torch.lerp(nll, uniform, label_smoothing)
    return (per_row * valid).sum().div(n).to(logits.dtype)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    C = logits.size(-1)
    valid = targets.ne(ignore_index)
    y = targets.clone()
    y[~valid] = 0
    x = logits.double()
    p = (x - x.amax(-1, keepdim=True)).exp()
    p = p / p.sum(-1, keepdim=True)
    q = torch.zeros_like(p).scatter_(-1, y[..., None], 1.0)
    q = q * (1 - label_smoothing) + label_smoothing / C
    g = (p - q) / valid.sum()
    return g.masked_fill(~valid[..., None], 0).to(logits.dtype)
