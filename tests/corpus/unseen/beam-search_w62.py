# generación con búsqueda en haz (proyecto final)
import torch
import torch.nn.functional as F
from torch import Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    probs = F.softmax(logits, dim=-1)
    best = probs.topk(beams, dim=-1)
    scores = best.values.log()
    keys = keys.repeat_interleave(beams, dim=0)
    values = values.repeat_interleave(beams, dim=0)
    return scores, best.indices, keys, values


def _reordenar(cache: Tensor, padres: Tensor) -> Tensor:
    b, k = padres.shape
    filas = padres + k * torch.arange(b, device=padres.device).unsqueeze(1)
    return cache.index_select(0, filas.reshape(-1))


def beam_step(scores, logits, keys, values, finished, eos):
    b, k = scores.shape
    vocab = logits.size(-1)
    paso = F.log_softmax(logits, dim=-1).reshape(b, k, vocab)
    paso = paso.masked_fill(finished.unsqueeze(-1), float("-inf"))
    gratis = torch.where(finished, torch.zeros_like(scores), paso[..., eos])
    paso = paso.clone()
    paso[..., eos] = gratis
    total = (scores.unsqueeze(-1) + paso).reshape(b, k * vocab)
    mejores = total.topk(k, dim=-1)
    padres = mejores.indices // vocab
    fichas = mejores.indices - padres * vocab
    fin = finished.gather(1, padres).logical_or(fichas == eos)
    return (
        mejores.values,
        fichas,
        padres,
        fin,
        _reordenar(keys, padres),
        _reordenar(values, padres),
    )


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    pasos, b, k = tokens.shape
    haz = torch.arange(k, device=tokens.device).unsqueeze(0).expand(b, k)
    salida = [tokens[-1]]
    for t in range(pasos - 1, 0, -1):
        haz = parents[t].to(torch.long).gather(1, haz)
        salida.append(tokens[t - 1].gather(1, haz))
    return torch.stack(salida[::-1], dim=2)


def best_sequence(sequences, scores, lengths, alpha):
    castigo = torch.pow((5 + lengths).to(scores.dtype) / 6, alpha)
    valor, cual = (scores / castigo).max(dim=-1)
    elegida = torch.stack([s[c] for s, c in zip(sequences, cual)])
    return elegida, valor
