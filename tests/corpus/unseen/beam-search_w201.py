# beam search over a KV cache. Only the best K tokens of each beam can ever win, so K*K candidates, not K*V.
from __future__ import annotations

import torch
from torch import Tensor


def start_beams(
    logits: Tensor, keys: Tensor, values: Tensor, beams: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    scores, tokens = torch.log_softmax(logits, dim=-1).topk(beams)
    copy = lambda c: c.unsqueeze(1).expand(-1, beams, *c.shape[1:]).flatten(0, 1)  # noqa: E731
    return scores, tokens, copy(keys), copy(values)


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    batch, beams = scores.shape
    k = min(beams, logits.shape[-1])
    gain, token = torch.log_softmax(logits, dim=-1).topk(k)
    gain = gain.view(batch, beams, k)
    token = token.view(batch, beams, k)

    # a beam at its end: eos, free of charge
    over = finished[..., None]
    gain = torch.where(over, torch.zeros_like(gain), gain)
    token = torch.where(over, torch.full_like(token, eos), token)

    candidates = (scores[..., None] + gain).view(batch, beams * k)
    best, slot = candidates.topk(beams)
    parents = torch.div(slot, k, rounding_mode="floor")
    tokens = token.view(batch, beams * k).gather(1, slot)
    ended = torch.gather(finished, 1, parents) | tokens.eq(eos)

    base = torch.arange(0, batch * beams, beams, device=slot.device)
    rows = (parents + base[:, None]).view(-1)
    return best, tokens, parents, ended, keys.index_select(0, rows), values.index_select(0, rows)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, _, beams = tokens.shape
    at = torch.arange(beams, device=tokens.device).expand_as(tokens[0])
    path = []
    for t in range(steps - 1, -1, -1):
        path.append(tokens[t].gather(1, at))
        if t > 0:
            at = parents[t].to(torch.int64).gather(1, at)
    return torch.stack(path[::-1], dim=-1)


def best_sequence(
    sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float
) -> tuple[Tensor, Tensor]:
    norm = torch.pow((5 + lengths).to(scores.dtype) / 6, alpha)
    value, k = torch.max(scores / norm, dim=1)
    k = k[:, None, None].expand(-1, 1, sequences.shape[-1])
    return sequences.gather(1, k).squeeze(1), value
