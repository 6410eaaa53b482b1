from __future__ import annotations

import torch
from torch import Tensor


def start_beams(
    logits: Tensor, keys: Tensor, values: Tensor, beams: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    lp = logits - torch.logsumexp(logits, dim=-1, keepdim=True)
    scores, tokens = lp.topk(beams, dim=-1)
    return scores, tokens, keys.repeat_interleave(beams, 0), values.repeat_interleave(beams, 0)


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    B, K = scores.shape
    V = logits.shape[-1]
    lp = (logits - torch.logsumexp(logits, dim=-1, keepdim=True)).view(B, K, V)
    frozen = torch.full_like(lp, -torch.inf)
    frozen[..., eos] = 0
    lp = torch.where(finished[..., None], frozen, lp)

    total = scores[..., None] + lp
    new_scores, where = total.flatten(1).topk(K, dim=-1)
    parents, tokens = where // V, where % V
    done = finished.gather(1, parents) | (tokens == eos)

    row = (torch.arange(B, device=parents.device)[:, None] * K + parents).flatten()
    return new_scores, tokens, parents, done, keys[row], values[row]


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    """Forward in time: at each step the histories are handed over, then get longer by one."""
    histories = tokens[0].unsqueeze(-1)  # (batch, beams, 1)
    for token, parent in zip(tokens[1:], parents):
        heir = parent.long().unsqueeze(-1).expand_as(histories)
        histories = histories.gather(1, heir)
        histories = torch.cat([histories, token.unsqueeze(-1)], dim=-1)
    return histories


def best_sequence(
    sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float
) -> tuple[Tensor, Tensor]:
    penalized = scores / ((5.0 + lengths.to(scores.dtype)) / 6.0) ** alpha
    best = penalized.argmax(dim=1)
    b = torch.arange(len(best), device=best.device)
    return sequences[b, best], penalized[b, best]
