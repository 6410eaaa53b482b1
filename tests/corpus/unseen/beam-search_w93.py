import torch
from einops import rearrange, repeat
from torch import Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    scores, tokens = logits.log_softmax(dim=-1).topk(beams, dim=-1)
    keys, values = (repeat(t, "b h n d -> (k b) h n d", k=beams) for t in (keys, values))
    return scores, tokens, keys, values


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    batch, beams = scores.shape
    logp = rearrange(logits.log_softmax(dim=-1), "(b k) v -> b k v", k=beams)
    only_eos = torch.full_like(logp, float("-inf"))
    only_eos[..., eos] = 0
    logp = torch.where(finished[..., None], only_eos, logp)

    candidates = rearrange(scores[..., None] + logp, "b k v -> b (k v)")
    scores, place = candidates.topk(beams, dim=-1)
    parents, tokens = place // logp.shape[-1], place % logp.shape[-1]
    finished = finished.gather(1, parents) | (tokens == eos)

    first = torch.arange(batch, device=parents.device)[:, None] * beams
    rows = rearrange(first + parents, "b k -> (b k)")
    return scores, tokens, parents, finished, keys[rows], values[rows]


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    at = repeat(torch.arange(beams, device=tokens.device), "k -> b k", b=batch)
    found = []
    for step in range(steps - 1, -1, -1):
        found.append(tokens[step].gather(1, at))
        at = parents[step].gather(1, at).long() if step else at
    return rearrange(found[::-1], "s b k -> b k s")


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalized = scores / ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    value, index = penalized.max(dim=1)
    return sequences[torch.arange(len(index), device=index.device), index], value
