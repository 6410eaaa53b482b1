import torch


class _Pieces:
    """Only the rows that count, flat; everything else is put together from these."""

    def __init__(self, logits, targets, ignore_index, eps):
        self.rows = (targets.reshape(-1) != ignore_index).nonzero().squeeze(1)
        C = logits.size(-1)
        x = logits.reshape(-1, C).index_select(0, self.rows).double()
        y = targets.reshape(-1).index_select(0, self.rows).long()
        self.q = torch.full((len(self.rows), C), eps / C, dtype=x.dtype, device=x.device)
        self.q[torch.arange(len(y), device=x.device), y] += 1 - eps
        self.x = x - x.amax(1, keepdim=True)
        self.e = self.x.exp()
        self.z = self.e.sum(1, keepdim=True)


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    t = _Pieces(logits, targets, ignore_index, label_smoothing)
    # q sums up to 1, so sum q * log z is log z
    per_row = t.z.squeeze(1).log() - (t.q * t.x).sum(1)
    return per_row.mean().to(logits.dtype)


@torch.no_grad()
def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    t = _Pieces(logits, targets, ignore_index, label_smoothing)
    g = torch.zeros(targets.numel(), logits.size(-1), dtype=t.x.dtype, device=logits.device)
    g[t.rows] = (t.e / t.z - t.q) / len(t.rows)
    return g.view(logits.shape).to(logits.dtype)
