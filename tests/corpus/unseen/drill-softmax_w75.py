import torch


def softmax(x, dim=-1):
    # online: one pass with a running maximum and a running sum
    cols = x.unbind(dim)
    m, z = cols[0], torch.ones_like(cols[0])
    for c in cols[1:]:
        new = torch.maximum(m, c)
        z = z * (m - new).exp() + (c - new).exp()
        m = new
    return torch.stack([(c - m).exp() / z for c in cols], dim=dim)


def log_sum_exp(x, dim=-1):
    x = x.movedim(dim, 0)
    m = x.max(0).values
    return m + (x - m).exp().sum(0).log()


def masked_softmax(scores, mask):
    on = (mask != 0).expand_as(scores)
    nobody = ~on.any(-1, keepdim=True)
    safe = scores.masked_fill(~on, float("-inf")).masked_fill(nobody, 0.0)
    return softmax(safe, -1).masked_fill(nobody, 0.0)
