import torch


def penalize(logits, tokens, penalty):
    # 标记每个序列里已经出现过的 token（出现多次也只标记一次）
    seen = torch.zeros(logits.shape, dtype=torch.bool, device=logits.device)
    seen.scatter_(1, tokens, True)
    # 正的 logit 除以惩罚，负的 logit 乘以惩罚
    punished = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, punished, logits)


def top_k_mask(logits, k):
    # 第 k 大的值作为门槛
    threshold = logits.topk(k, dim=-1).values[:, -1:]
    return logits >= threshold


def top_p_mask(logits, p):
    # 从大到小排序，累加概率，跨过 p 的那个 token 也要保留
    probs = torch.softmax(logits, dim=-1)
    sorted_probs, index = probs.sort(dim=-1, descending=True)
    before = sorted_probs.cumsum(dim=-1) - sorted_probs
    keep_sorted = before < p
    keep_sorted[:, 0] = True
    # 还原到词表的顺序
    keep = torch.zeros_like(keep_sorted)
    return keep.scatter(1, index, keep_sorted)


def min_p_mask(logits, p):
    probs = torch.softmax(logits, dim=-1)
    return probs >= p * probs.max(dim=-1, keepdim=True).values


def keep_top_k(logits, k):
    return logits.masked_fill(~top_k_mask(logits, k), float("-inf"))


def keep_top_p(logits, p):
    return logits.masked_fill(~top_p_mask(logits, p), float("-inf"))


def keep_min_p(logits, p):
    return logits.masked_fill(~min_p_mask(logits, p), float("-inf"))


def next_token_probs(
    logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0
):
    # 第一步：重复惩罚；第二步：温度
    logits = penalize(logits, tokens, penalty) / temperature
    # 第三步：三个过滤器，掩码取交集
    keep = torch.ones(logits.shape, dtype=torch.bool, device=logits.device)
    if top_k > 0:
        keep = keep & top_k_mask(logits, top_k)
    if top_p < 1.0:
        keep = keep & top_p_mask(logits, top_p)
    if min_p > 0.0:
        keep = keep & min_p_mask(logits, min_p)
    # 第四步：softmax
    return torch.softmax(logits.masked_fill(~keep, float("-inf")), dim=-1)


def draw(probs, uniform):
    # 累积和第一个大于随机数的位置
    total = probs.cumsum(dim=-1)
    return (total <= uniform.unsqueeze(1)).sum(dim=1).clamp(max=probs.shape[1] - 1)
