# right: sampling
import torch


def penalize(x, ids, theta):
    hot = torch.nn.functional.one_hot(ids, x.shape[-1]).amax(1).bool()
    return x * torch.where(hot, torch.where(x > 0, 1 / theta, theta), 1.0)


def larger(x):
    # [b, i, j]: whether j stands before i
    return x[:, None, :] > x[:, :, None]


def keep_top_k(x, k):
    return x.masked_fill(larger(x).sum(-1) >= k, -torch.inf)


def keep_top_p(x, p):
    mass = torch.einsum("bij,bj->bi", larger(x).to(x.dtype), x.softmax(-1))
    return x.masked_fill(mass >= p, -torch.inf)


def keep_min_p(x, p):
    q = (x - x.amax(-1, True)).exp()
    return x.masked_fill(q < p, -torch.inf)


def next_token_probs(x, ids, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    x = penalize(x, ids, penalty) / temperature
    x = keep_top_k(x, top_k if top_k else x.shape[-1])
    x = keep_top_p(x, top_p)
    x = keep_min_p(x, min_p)
    w = (x - x.amax(-1, True)).exp()
    return w / w.sum(-1, True)


def draw(p, u):
    lower = torch.ones(p.shape[-1], p.shape[-1], dtype=p.dtype, device=p.device).tril()
    edges = p @ lower.T
    return (u[:, None] >= edges[:, :-1]).sum(-1)
