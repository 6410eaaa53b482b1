import torch


def penalize(x, ids, a):
    y = x.gather(1, ids)
    return x.scatter(1, ids, torch.where(y > 0, y / a, y * a))


def keep_top_k(x, k):
    v, i = x.topk(k)
    return torch.full_like(x, -torch.inf).scatter(1, i, v)


def keep_top_p(x, p):
    q, i = x.softmax(-1).sort(-1, descending=True)
    m = q.cumsum(-1) - q >= p
    return x.masked_fill(m.gather(1, i.argsort(-1)), -torch.inf)


def keep_min_p(x, p):
    q = x.softmax(-1)
    return x.where(q >= p * q.amax(-1, True), -torch.inf)


def next_token_probs(x, ids, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    x = penalize(x, ids, penalty) / temperature
    x = keep_top_k(x, top_k or x.shape[1])
    return keep_min_p(keep_top_p(x, top_p), min_p).softmax(-1)


def draw(p, u):
    n = (p.cumsum(-1) <= u[:, None]).sum(-1)
    return n.clamp(max=p.shape[1] - 1)
