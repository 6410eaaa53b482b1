# Rows that count are compacted first, then everything runs on [N, C] in chunks of rows.
import torch

CHUNK = 64


def _compact(logits, targets, ignore_index):
    C = logits.size(-1)
    flat_t = targets.reshape(-1)
    rows = torch.nonzero(flat_t != ignore_index).squeeze(1)
    acc = torch.float64 if logits.dtype == torch.float64 else torch.float32
    z = logits.reshape(-1, C).index_select(0, rows).to(acc)
    t = flat_t.index_select(0, rows).to(torch.int64)
    return z, t, rows


def _lse(z):
    m = z.max(dim=1, keepdim=True).values
    return m + torch.log(torch.sum(torch.exp(z - m), dim=1, keepdim=True))


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    z, t, rows = _compact(logits, targets, ignore_index)
    total = z.new_zeros(())
    for zc, tc in zip(z.split(CHUNK), t.split(CHUNK)):
        lse = _lse(zc)
        nll = lse.squeeze(1) - zc.gather(1, tc[:, None]).squeeze(1)
        if label_smoothing:
            # mean over the classes of -log p
            uniform = (lse - zc).mean(dim=1)
            nll = torch.lerp(nll, uniform, label_smoothing)
        total = total + nll.sum()
    return (total / len(rows)).to(logits.dtype)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    z, t, rows = _compact(logits, targets, ignore_index)
    B, L, C = logits.shape
    inv_n = 1.0 / rows.numel()
    out = torch.zeros(B * L, C, dtype=logits.dtype, device=logits.device)
    for rc, zc, tc in zip(rows.split(CHUNK), z.split(CHUNK), t.split(CHUNK)):
        g = torch.exp(zc - _lse(zc))
        g -= label_smoothing / C
        g[torch.arange(len(tc), device=g.device), tc] -= 1.0 - label_smoothing
        out[rc] = (g * inv_n).to(out.dtype)
    return out.view(B, L, C)
