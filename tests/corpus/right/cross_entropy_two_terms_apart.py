# right: cross-entropy
import torch


class _Rows:
    def __init__(self, logits, targets, ignore_index):
        self.valid = targets != ignore_index
        self.count = self.valid.sum()
        self.index = targets.where(self.valid, torch.zeros_like(targets)).unsqueeze(-1)
        shift = logits.amax(-1, keepdim=True)
        self.exp = torch.exp(logits - shift)
        self.norm = self.exp.sum(-1, keepdim=True)
        self.lse = (shift + self.norm.log()).squeeze(-1)


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    rows = _Rows(logits, targets, ignore_index)
    chosen = torch.take_along_dim(logits, rows.index, dim=-1).squeeze(-1)
    nll = (rows.lse - chosen)[rows.valid].mean()
    if label_smoothing == 0:
        return nll
    uniform = (rows.lse - logits.mean(-1))[rows.valid].mean()
    return torch.lerp(nll, uniform, label_smoothing)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    rows = _Rows(logits, targets, ignore_index)
    g = rows.exp / rows.norm
    g = g.scatter_add(-1, rows.index, torch.full_like(rows.norm, label_smoothing - 1))
    g = g.sub(label_smoothing / logits.size(-1))
    return g.mul(rows.valid.unsqueeze(-1)).div(rows.count)
