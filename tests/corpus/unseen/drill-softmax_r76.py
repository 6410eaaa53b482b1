import torch


def softmax(x, dim=-1):
    m = torch.amax(x, dim, keepdim=True)
    e = torch.exp(torch.sub(x, m))
    return torch.div(e, torch.sum(e, dim, keepdim=True))


def log_sum_exp(x, dim=-1):
    m = x.amax(dim=dim, keepdim=True)
    total = (x - m).exp().sum(dim=dim)
    return total.log() + m.squeeze(dim)


class _MaskedSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, shown):
        lowest = torch.finfo(scores.dtype).min
        m = scores.masked_fill(~shown, lowest).amax(-1, keepdim=True)
        e = (scores - m).masked_fill(~shown, -torch.inf).exp()
        total = e.sum(-1, keepdim=True)
        p = e / total.masked_fill(total == 0, 1)
        ctx.save_for_backward(p)
        return p

    @staticmethod
    def backward(ctx, grad):
        (p,) = ctx.saved_tensors
        return p * (grad - (p * grad).sum(-1, keepdim=True)), None


def masked_softmax(scores, mask):
    return _MaskedSoftmax.apply(scores, mask.ne(0))
