# right: sampling
import torch

负无穷 = float("-inf")


def penalize(logits, tokens, penalty):
    """重复惩罚：正的除，负的乘，一个 token 只罚一次。"""
    词表 = logits.shape[-1]
    出现过 = (tokens.unsqueeze(-1) == torch.arange(词表, device=tokens.device)).any(dim=1)
    罚过 = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(出现过, 罚过, logits)


def keep_top_k(logits, k):
    最大的, 位置 = torch.topk(logits, k, dim=-1)
    结果 = torch.full_like(logits, 负无穷)
    return 结果.scatter(-1, 位置, 最大的)


def keep_top_p(logits, p):
    概率 = torch.softmax(logits, dim=-1)
    排好的概率, 位置 = torch.sort(概率, dim=-1, descending=True)
    累积 = torch.cumsum(排好的概率, dim=-1)
    保留 = (累积 - 排好的概率) < p
    放回 = torch.zeros_like(保留).scatter(-1, 位置, 保留)
    return logits.masked_fill(~放回, 负无穷)


def keep_min_p(logits, p):
    概率 = torch.softmax(logits, dim=-1)
    门槛 = p * torch.max(概率, dim=-1, keepdim=True)[0]
    return logits.masked_fill(概率 < 门槛, 负无穷)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    结果 = penalize(logits, tokens, penalty)
    结果 = 结果 / temperature
    if top_k > 0:
        结果 = keep_top_k(结果, top_k)
    if top_p < 1.0:
        结果 = keep_top_p(结果, top_p)
    if min_p > 0.0:
        结果 = keep_min_p(结果, min_p)
    return torch.softmax(结果, dim=-1)


def draw(probs, uniform):
    累积 = torch.cumsum(probs, dim=-1)
    没超过 = 累积 <= uniform.unsqueeze(-1)
    return torch.clamp(没超过.sum(dim=-1), max=probs.shape[-1] - 1)
