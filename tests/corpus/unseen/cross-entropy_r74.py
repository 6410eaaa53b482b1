# Losers against the winner: the loss is log Σ_c exp(z_c - z_target), a log-sum of margins.
import torch


def _kept(logits, targets, ignore_index):
    counts = targets.reshape(-1) != ignore_index
    wide = torch.promote_types(logits.dtype, torch.float32)
    return logits.reshape(-1, logits.shape[-1])[counts].to(wide), targets.reshape(-1)[counts].long(), counts


def _log_total(z):
    """log Σ exp over the last axis, by halves."""
    n = z.shape[-1]
    if n == 1:
        return z
    if n % 2:
        return torch.logaddexp(_log_total(z[..., :-1]), z[..., -1:])
    return _log_total(torch.logaddexp(z[..., : n // 2], z[..., n // 2 :]))


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    z, t, _ = _kept(logits, targets, ignore_index)
    total = _log_total(z).squeeze(-1)
    hit = total - z[torch.arange(len(t), device=z.device), t]
    loss = hit if label_smoothing == 0 else torch.lerp(
        hit, total - z.mean(-1), torch.full_like(hit, label_smoothing))
    return (loss.sum() / len(t)).to(logits.dtype)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    with torch.no_grad():
        z, t, counts = _kept(logits, targets, ignore_index)
        g = (z - _log_total(z)).exp_()
        g.sub_(label_smoothing / z.shape[-1])
        g[torch.arange(len(t), device=z.device), t] -= 1 - label_smoothing
        whole = torch.zeros(counts.numel(), z.shape[-1], dtype=z.dtype, device=z.device)
        whole[counts] = g / len(t)
        return whole.view(logits.shape).to(logits.dtype)
