import torch


def 对数概率(logits):
    最大 = logits.amax(-1, keepdim=True)
    差 = logits - 最大
    return 差 - torch.log(torch.exp(差).sum(-1, keepdim=True))


def 目标分布(logits, targets, label_smoothing):
    类数 = logits.shape[-1]
    编号 = torch.arange(类数, device=logits.device)
    独热 = (targets.unsqueeze(-1) == 编号).to(logits.dtype)
    return (1 - label_smoothing) * 独热 + label_smoothing / 类数


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    有效 = targets != ignore_index
    分布 = 目标分布(logits, targets, label_smoothing)
    损失 = -(分布 * 对数概率(logits)).sum(-1)
    总和 = torch.where(有效, 损失, torch.zeros_like(损失)).sum()
    return 总和 / 有效.sum()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    有效 = targets != ignore_index
    概率 = torch.exp(对数概率(logits))
    分布 = 目标分布(logits, targets, label_smoothing)
    梯度 = 概率 - 分布
    梯度 = torch.where(有效.unsqueeze(-1), 梯度, torch.zeros_like(梯度))
    return 梯度 / 有效.sum()
