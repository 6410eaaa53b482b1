# right: drill-softmax
import torch


def _exps(x, dim):
    top = x.max(dim=dim, keepdim=True)[0]
    return torch.exp(x.sub(top)), top


def softmax(x, dim=-1):
    e, _ = _exps(x, dim)
    return e.div(e.sum(dim, True))


def log_sum_exp(x, dim=-1):
    e, top = _exps(x, dim)
    return (e.sum(dim, True).log() + top).squeeze(dim)


def masked_softmax(scores, mask):
    visible = mask.bool()
    e, _ = _exps(scores.masked_fill(~visible, torch.finfo(scores.dtype).min), -1)
    e = e * visible
    z = torch.einsum("bhqk->bhq", e)[..., None]
    return torch.where(z > 0, e / z.clamp(min=1e-30 if e.dtype != torch.float16 else 1e-7), torch.zeros_like(e))
