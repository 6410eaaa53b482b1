import torch

# sampler, row by row so that it stays readable


def _rows(fn, logits, *extra):
    return torch.stack([fn(row, *(e[i] for e in extra)) for i, row in enumerate(logits)])


def penalize(logits, tokens, penalty):
    def one(row, history):
        row = row.clone()
        for t in history.tolist():
            if row[t] > 0:
                row[t] = row[t] / penalty
            else:
                row[t] = row[t] * penalty
        return row

    return _rows(one, logits, tokens)


def keep_top_k(logits, k):
    def one(row):
        out = torch.full_like(row, float("-inf"))
        best = torch.topk(row, k).indices
        out[best] = row[best]
        return out

    return _rows(one, logits)


def keep_top_p(logits, p):
    if p >= 1:
        return logits.clone()

    def one(row):
        probs = torch.softmax(row, 0)
        out = torch.full_like(row, float("-inf"))
        total = 0.0
        for t in torch.argsort(probs, descending=True).tolist():
            out[t] = row[t]
            total += probs[t].item()
            if total >= p:
                break
        return out

    return _rows(one, logits)


def keep_min_p(logits, p):
    def one(row):
        probs = torch.softmax(row, 0)
        out = row.clone()
        out[probs < p * probs.max()] = float("-inf")
        return out

    return _rows(one, logits)


def next_token_probs(
    logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0
):
    x = penalize(logits, tokens, penalty)
    x = x / temperature
    if top_k > 0:
        x = keep_top_k(x, top_k)
    x = keep_top_p(x, top_p)
    x = keep_min_p(x, min_p)
    return torch.softmax(x, dim=-1)


def draw(probs, uniform):
    picked = []
    for row, u in zip(probs, uniform):
        over = torch.nonzero(torch.cumsum(row, 0) > u)
        picked.append(over[0, 0] if len(over) else torch.nonzero(row)[-1, 0])
    return torch.stack(picked)
