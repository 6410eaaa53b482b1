import torch


class SafeExp:
    """Context for one axis: the shift on the way in, what belongs to it on the way out."""

    def __init__(self, x, dim):
        self.dim = dim
        self.shift = torch.max(x, dim=dim, keepdim=True)[0]
        self.shifted = x - self.shift

    def __enter__(self):
        return self.shifted.exp()

    def __exit__(self, *problem):
        return False


def log_sum_exp(x, dim=-1):
    safe = SafeExp(x, dim)
    with safe as e:
        total = e.sum(dim, keepdim=True)
    return (safe.shift + total.log()).select(dim, 0)


def softmax(x, dim=-1):
    shifted = SafeExp(x, dim).shifted
    return torch.exp(shifted - log_sum_exp(shifted, dim).unsqueeze(dim))


def masked_softmax(scores, mask):
    keep = mask.bool()
    someone = keep.any(dim=-1, keepdim=True)
    # an empty row is made full for a moment, and is wiped out at the end
    scores, keep = torch.broadcast_tensors(scores, keep | ~someone)
    hidden = scores.where(keep, torch.finfo(scores.dtype).min)
    return softmax(hidden).where(keep & someone, 0.0)
