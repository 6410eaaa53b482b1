import torch


# 手写交叉熵: 先减最大值, 再取 log-sum-exp
def _prep(logits, targets, ignore_index):
    z = logits.to(torch.promote_types(logits.dtype, torch.float32))
    valid = targets.ne(ignore_index)            # 有效位置
    safe = torch.where(valid, targets, torch.zeros_like(targets)).long()
    return z, valid, safe


def _lse(z):
    m = z.max(-1, keepdim=True)[0].detach()
    return m + (z - m).exp().sum(-1, keepdim=True).log()


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    z, valid, safe = _prep(logits, targets, ignore_index)
    lse = _lse(z).squeeze(-1)
    hit = z.gather(-1, safe[..., None]).squeeze(-1)
    # -sum q log p = lse - (1-eps) * z_t - eps * mean(z)
    loss = (1 - label_smoothing) * (lse - hit) + label_smoothing * (lse - z.mean(-1))
    return loss[valid].mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    z, valid, safe = _prep(logits, targets, ignore_index)
    grad = (z - _lse(z)).exp() - label_smoothing / z.size(-1)
    grad.scatter_add_(-1, safe[..., None], torch.full_like(grad[..., :1], label_smoothing - 1))
    return grad * (valid[..., None] / valid.sum())
