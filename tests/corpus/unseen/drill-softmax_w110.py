import torch

# I know these by their TensorFlow names.
reduce_max = lambda t, axis, keepdims=False: torch.amax(t, dim=axis, keepdim=keepdims)
reduce_sum = lambda t, axis, keepdims=False: torch.sum(t, dim=axis, keepdim=keepdims)


def _shifted_exp(t, axis):
    top = reduce_max(t, axis=axis, keepdims=True)
    return top, torch.exp(t - top)


def softmax(x, dim=-1):
    _, num = _shifted_exp(x, dim)
    return torch.divide(num, reduce_sum(num, axis=dim, keepdims=True))


def log_sum_exp(x, dim=-1):
    top, num = _shifted_exp(x, dim)
    out = torch.add(top, torch.log(reduce_sum(num, axis=dim, keepdims=True)))
    return torch.squeeze(out)


def masked_softmax(scores, mask):
    visible = torch.not_equal(mask, 0)
    hidden_low = torch.where(visible, scores, torch.finfo(scores.dtype).min)
    _, num = _shifted_exp(hidden_low, -1)
    num = torch.where(visible, num, 0.0)
    den = reduce_sum(num, axis=-1, keepdims=True)
    return torch.divide(num, torch.where(den > 0, den, 1.0))
