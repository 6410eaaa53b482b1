import torch


def softmax(x, dim=-1):
    parts = x.unbind(dim)
    big = parts[0]
    for p in parts[1:]:
        big = torch.maximum(big, p)
    es = [torch.exp(p - big) for p in parts]
    total = sum(es)
    return torch.stack([e / total for e in es], dim=dim)


def log_sum_exp(x, dim=-1):
    running_max = None
    running_sum = None
    for part in x.unbind(dim):
        if running_max is None:
            running_max, running_sum = part, torch.ones_like(part)
        else:
            new = torch.maximum(running_max, part)
            running_sum = running_sum * (running_max - new).exp() + (part - new).exp()
            running_max = new
    return running_max + running_sum.log()


def masked_softmax(scores, mask):
    m = (mask != 0) * torch.ones_like(scores)
    low = torch.where(m > 0, scores, scores.new_tensor(torch.finfo(scores.dtype).min))
    return softmax(low, -1) * m
