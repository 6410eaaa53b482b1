import torch


def penalize(logits, tokens, penalty):
    out = logits.clone()
    got = out.gather(1, tokens)
    got = torch.where(got < 0, got.mul(penalty), got.div(penalty))
    return out.scatter_(1, tokens, got)


def keep_top_k(logits, k):
    best = logits.topk(k, dim=-1, sorted=False)
    out = torch.full_like(logits, float("-inf"))
    return out.scatter_(-1, best.indices, best.values)


def keep_top_p(logits, p):
    if p >= 1:
        return logits.clone()
    val, idx = torch.sort(logits, dim=-1, descending=True)
    pr = torch.softmax(val, dim=-1)
    before = pr.cumsum(-1)
    before = torch.nn.functional.pad(before[:, :-1], (1, 0))
    val.masked_fill_(before >= p, float("-inf"))
    return torch.empty_like(logits).scatter_(-1, idx, val)


def keep_min_p(logits, p):
    # p_i / p_max = exp(l_i - l_max): no softmax needed
    rel = (logits - logits.amax(-1, keepdim=True)).exp_()
    return logits.masked_fill(rel < p, float("-inf"))


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    x = penalize(logits, tokens, penalty).div_(temperature)
    if top_k > 0:
        x = keep_top_k(x, min(top_k, x.size(-1)))
    x = keep_top_p(x, top_p)
    x = keep_min_p(x, min_p)
    return torch.softmax(x, -1)


def draw(probs, uniform):
    cdf = probs.cumsum(-1)
    return torch.searchsorted(cdf, uniform.unsqueeze(-1), right=True).squeeze(-1).clamp_(max=probs.size(-1) - 1)
