import torch


def _rank(x):
    # 0 = likeliest
    return x.argsort(-1, descending=True).argsort(-1)


def penalize(logits, tokens, penalty):
    out = logits.clone()
    for b, row in enumerate(tokens):
        seen = row.unique()
        v = out[b, seen]
        out[b, seen] = torch.where(v > 0, v / penalty, v * penalty)
    return out


def keep_top_k(logits, k):
    return torch.where(_rank(logits) < k, logits, float("-inf"))


def keep_top_p(logits, p):
    probs = torch.softmax(logits, -1)
    ordered = probs.sort(-1, descending=True).values
    reached = ordered.cumsum(-1) >= p
    # the place of the first sum that reaches p; all of them where rounding keeps it below
    last = torch.where(reached.any(-1), reached.int().argmax(-1), probs.shape[-1] - 1)
    return torch.where(_rank(logits) <= last[:, None], logits, float("-inf"))


def keep_min_p(logits, p):
    probs = torch.softmax(logits, -1)
    return torch.where(probs >= p * probs.amax(-1, keepdim=True), logits, float("-inf"))


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    x = penalize(logits, tokens, penalty).div(temperature)
    x = keep_top_k(x, top_k) if top_k else x
    x = keep_top_p(x, top_p) if top_p < 1 else x
    x = keep_min_p(x, min_p) if min_p > 0 else x
    return x.softmax(-1)


def draw(probs, uniform):
    total = probs.cumsum(-1)
    # rounding may leave the last sum just below 1
    token = (total <= uniform[:, None]).sum(-1)
    return token.clamp(max=probs.shape[-1] - 1)
