# attn-kata: beam-search
# Shapes: B samples, K beams, V words. The model's rows are sample-major: row = b * K + k.
from __future__ import annotations

import torch
from torch import Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    log_z = logits.logsumexp(dim=-1, keepdim=True)
    top_logits, tokens = logits.topk(beams, dim=-1)
    copies = torch.arange(logits.shape[0] * beams, device=logits.device).div(beams, rounding_mode="floor")
    return top_logits - log_z, tokens, keys.index_select(0, copies), values.index_select(0, copies)


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    B, K = scores.shape
    V = logits.shape[-1]

    # normalise per beam: log p = logit - logsumexp
    log_p = logits.view(B, K, V)
    log_p -= log_p.logsumexp(dim=-1, keepdim=True)

    live = (scores.unsqueeze(-1) + log_p).masked_fill(finished.unsqueeze(-1), -torch.inf)
    live[..., eos] = torch.where(finished, scores, live[..., eos])

    flat_scores = live.flatten(start_dim=1)
    ranks = flat_scores.argsort(dim=-1, descending=True)[:, :K]
    next_scores = flat_scores.gather(-1, ranks)
    parents = torch.floor_divide(ranks, V)
    tokens = torch.remainder(ranks, V)
    ended = finished.gather(-1, parents) | (tokens == eos)

    offsets = torch.arange(0, B * K, K, device=ranks.device).unsqueeze(-1)
    origin = (parents + offsets).flatten()
    return next_scores, tokens, parents, ended, keys.index_select(0, origin), values.index_select(0, origin)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    B, K = tokens.shape[1:]
    cursor = torch.arange(K, device=tokens.device).repeat(B, 1)
    backwards: list[Tensor] = []
    for tok, par in zip(tokens.flip(0), parents.flip(0)):
        backwards.append(tok.gather(-1, cursor))
        if len(backwards) < len(tokens):
            cursor = par.long().gather(-1, cursor)
    return torch.stack(backwards, dim=-1).flip(-1)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    normalized = scores / ((5 + lengths.to(scores)) / 6).pow(alpha)
    which = normalized.argmax(dim=-1)
    index = which.view(-1, 1, 1).expand(-1, 1, sequences.shape[-1])
    return sequences.gather(1, index).squeeze(1), normalized.gather(1, which.unsqueeze(1)).squeeze(1)
