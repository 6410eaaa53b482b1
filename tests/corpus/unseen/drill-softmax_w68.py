import torch


def _stable(x, axis):
    peak = torch.amax(x, dim=axis, keepdim=True)
    return peak, torch.exp(x - peak)


def softmax(x, dim=-1):
    _, unnormalised = _stable(x, dim)
    return unnormalised / torch.sum(unnormalised, dim=dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    peak, unnormalised = _stable(x, dim)
    result = peak + torch.log(torch.sum(unnormalised, dim=dim, keepdim=True))
    return torch.squeeze(result)


def masked_softmax(scores, mask):
    where = torch.broadcast_to(mask.bool(), scores.shape)
    nothing = torch.logical_not(torch.any(where, dim=-1, keepdim=True))
    # double where: the branch that is not taken must be finite as well
    logits = torch.where(where | nothing, scores, -torch.inf)
    probs = softmax(logits)
    return torch.where(nothing, torch.zeros_like(probs), probs)
