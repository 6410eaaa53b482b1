# wrong: sampling temperature-last line 42
# fair: temperature-last 34
import torch


def penalize(logits, tokens, penalty):
    fen = logits.gather(1, tokens)
    fen = torch.where(fen > 0, fen / penalty, fen * penalty)
    return logits.scatter(1, tokens, fen)


def keep_top_k(logits, k):
    di_k = torch.topk(logits, k, dim=1).values[:, -1:]
    return logits.masked_fill(logits < di_k, float("-inf"))


def keep_top_p(logits, p):
    pai, weizhi = torch.sort(logits, dim=1, descending=True)
    gailv = torch.softmax(pai, dim=1)
    leiji = torch.cumsum(gailv, dim=1)
    qudiao = (leiji - gailv) >= p
    qudiao = torch.zeros_like(qudiao).scatter(1, weizhi, qudiao)
    return logits.masked_fill(qudiao, float("-inf"))


def keep_min_p(logits, p):
    gailv = torch.softmax(logits, dim=1)
    menkan = gailv.max(dim=1, keepdim=True).values * p
    return logits.masked_fill(gailv < menkan, float("-inf"))


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    # 先惩罚，再过滤，最后用温度调平
    x = penalize(logits, tokens, penalty)
    if top_k > 0:
        x = keep_top_k(x, top_k)
    if top_p < 1.0:
        x = keep_top_p(x, top_p)
    if min_p > 0.0:
        x = keep_min_p(x, min_p)
    # 温度
    return torch.softmax(x / temperature, dim=1)


def draw(probs, uniform):
    leiji = torch.cumsum(probs, dim=1)
    return (leiji <= uniform.unsqueeze(1)).sum(dim=1)
