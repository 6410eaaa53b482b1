# 采样：惩罚、温度、三种过滤，最后按累积概率抽一个词
import torch
import torch.nn.functional as F

负无穷 = float("-inf")


def penalize(logits, tokens, penalty):
    # 独热编码取最大值，就是“这一行出现过哪些词”
    出现过 = F.one_hot(tokens, logits.size(1)).amax(dim=1).bool()
    正 = logits > 0
    罚过 = torch.where(正, logits / penalty, logits * penalty)
    return torch.where(出现过, 罚过, logits)


def keep_top_k(logits, k):
    排好, _ = torch.sort(logits, dim=1, descending=True)
    门槛 = 排好[:, k - 1].unsqueeze(1)
    留下 = logits >= 门槛
    return torch.where(留下, logits, 负无穷)


def keep_top_p(logits, p):
    # 从大到小排序，逐个累加
    次序 = torch.argsort(logits, dim=1, descending=True)
    概率 = F.softmax(logits, dim=1)
    排好 = torch.gather(概率, 1, 次序)
    累积 = torch.cumsum(排好, dim=1)
    之前 = 累积 - 排好
    留下 = 之前 < p
    # 回到词表的次序
    按词表 = torch.zeros_like(留下).scatter(1, 次序, 留下)
    return torch.where(按词表, logits, 负无穷)


def keep_min_p(logits, p):
    概率 = F.softmax(logits, dim=1)
    最大, _ = 概率.max(dim=1, keepdim=True)
    留下 = 概率 >= 最大 * p
    return torch.where(留下, logits, 负无穷)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    分数 = penalize(logits, tokens, penalty)
    分数 = 分数 / temperature
    if top_k > 0:
        分数 = keep_top_k(分数, top_k)
    if top_p < 1:
        分数 = keep_top_p(分数, top_p)
    if min_p > 0:
        分数 = keep_min_p(分数, min_p)
    return F.softmax(分数, dim=1)


def draw(probs, uniform):
    # 累积和超过随机数的第一个词
    累积 = torch.cumsum(probs, dim=1)
    序号 = torch.sum(累积 <= uniform[:, None], dim=1)
    最后 = probs.size(1) - 1
    return 序号.clamp(max=最后)
