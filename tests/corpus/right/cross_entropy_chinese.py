# right: cross-entropy
import torch


def 对数概率(logits):
    最大 = logits.max(dim=-1, keepdim=True).values
    return logits - 最大 - torch.log(torch.exp(logits - 最大).sum(dim=-1, keepdim=True))


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    logp = 对数概率(logits)
    有效 = targets != ignore_index
    # 被忽略的位置先随便取一个类别，最后再去掉
    目标 = torch.where(有效, targets, torch.zeros_like(targets))
    硬 = -logp.gather(2, 目标.unsqueeze(2)).squeeze(2)
    软 = -logp.sum(dim=2) / logp.shape[2]
    每个位置 = (1 - label_smoothing) * 硬 + label_smoothing * 软
    return 每个位置[有效].sum() / 有效.sum()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    概率 = 对数概率(logits).exp()
    有效 = targets != ignore_index
    目标 = torch.where(有效, targets, torch.zeros_like(targets))
    类别数 = logits.shape[2]
    q = torch.zeros_like(概率)
    q.scatter_(2, 目标.unsqueeze(2), 1 - label_smoothing)
    q = q + label_smoothing / 类别数
    梯度 = (概率 - q) / 有效.sum()
    梯度[~有效] = 0
    return 梯度
