# -*- coding: utf-8 -*-
# Rechnet wie das alte Fortran-Programm: Maximum abziehen, Summe bilden, Logarithmus zuletzt.
import torch


def _vorbereiten(logits, targets, ignore_index):
    zaehlt = targets != ignore_index
    ziel = targets
    ziel[~zaehlt] = 0
    z = logits.reshape(-1, logits.shape[-1])
    z = z.to(torch.promote_types(z.dtype, torch.float32))
    z = z - torch.amax(z, dim=1, keepdim=True)
    summe = torch.sum(torch.exp(z), dim=1, keepdim=True)
    return z, summe, ziel.reshape(-1, 1).long(), zaehlt.reshape(-1, 1).to(z.dtype)


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    z, summe, ziel, zaehlt = _vorbereiten(logits, targets, ignore_index)
    logp = z - torch.log(summe)
    treffer = torch.gather(logp, 1, ziel)
    mittel = torch.mean(logp, dim=1, keepdim=True)
    verlust = -(1.0 - label_smoothing) * treffer - label_smoothing * mittel
    return torch.sum(verlust * zaehlt) / torch.sum(zaehlt)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    z, summe, ziel, zaehlt = _vorbereiten(logits, targets, ignore_index)
    q = torch.full_like(z, label_smoothing / z.shape[1])
    q.scatter_add_(1, ziel, torch.full_like(z[:, :1], 1.0 - label_smoothing))
    grad = (torch.exp(z) / summe - q) * zaehlt / torch.sum(zaehlt)
    return grad.reshape(logits.shape).to(logits.dtype)
