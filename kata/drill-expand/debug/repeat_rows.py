import torch


def share_keys(x, h):
    return torch.unsqueeze(x, dim=-3).expand(x.shape[0], h, *x.shape[1:])


def silence_head(x, h, which):
    y = x.repeat(1, h, 1).view(x.shape[0], h, x.shape[1], x.shape[2])
    mask = torch.zeros(h, 1, 1, dtype=torch.bool, device=x.device)
    mask[which] = True
    return y.masked_fill(mask, 0.0)


def repeat_kv(x, n):
    b, g, t, d = x.shape
    return x.repeat(1, 1, n, 1).view(b, g * n, t, d)


def add_slopes(x, slopes):
    return slopes.unsqueeze(1).unsqueeze(1).add(x)


def distances(x):
    return torch.stack([x - one for one in x])
