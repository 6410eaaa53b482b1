import torch


def softmax(x, dim=-1):
    # 先减去最大值，防止 exp 溢出；keepdim=True 方便广播
    m = x.max(dim=dim, keepdim=True)[0]
    e = torch.exp(x - m)
    return e / e.sum(dim=dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    # log(sum(exp(x))) = m + log(sum(exp(x - m)))
    m = x.max(dim=dim, keepdim=True)[0]
    total = torch.exp(x - m).sum(dim=dim)
    return m.squeeze(dim) + torch.log(total)


def masked_softmax(scores, mask):
    # 把掩码统一转成和 scores 一样的类型：1 表示有效，0 表示无效
    mask = (mask != 0).to(scores.dtype)
    # 同样先减去最大值，避免溢出
    m = scores.max(dim=-1, keepdim=True)[0]
    # 无效的位置 exp 之后直接乘 0
    e = torch.exp(scores - m) * mask
    total = e.sum(dim=-1, keepdim=True)
    # 整行都无效时分母是 0，换成 1，这样整行结果就是 0，梯度也是 0
    total = torch.where(total == 0, torch.ones_like(total), total)
    return e / total
