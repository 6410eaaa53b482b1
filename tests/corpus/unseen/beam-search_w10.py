# attn-kata: beam-search
import torch
import torch.nn.functional as F
from torch import Tensor


def log_probs(logits: Tensor) -> Tensor:
    return F.log_softmax(logits, dim=-1)


def rows_of(parents: Tensor) -> Tensor:
    n, m = parents.shape
    return torch.add(parents, torch.arange(n, device=parents.device).mul(m).unsqueeze(-1)).flatten()


def stay_open(like: Tensor, finished: Tensor) -> Tensor:
    """Costs of a finished beam: nothing for the end token, infinite for all others."""
    free = like.new_zeros(*finished.shape, 1)
    return F.pad(free, (0, like.size(-1) - 1), value=float("-inf"))


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    scores, tokens = log_probs(logits).topk(beams)
    again = torch.arange(logits.size(0), device=logits.device).repeat_interleave(beams)
    return scores, tokens, keys.index_select(0, again), values.index_select(0, again)


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    n, m = scores.shape
    v = logits.size(-1)
    lp = log_probs(logits).reshape(n, m, v)
    lp = torch.where(finished.unsqueeze(-1), stay_open(lp, finished), lp)
    new_scores, flat = (scores.unsqueeze(-1) + lp).flatten(1).topk(m)
    parents, tokens = flat.div(v, rounding_mode="floor"), flat.remainder(v)
    ended = finished.gather(1, parents).logical_or(tokens.eq(eos))
    rows = rows_of(parents)
    return new_scores, tokens, parents, ended, keys.index_select(0, rows), values.index_select(0, rows)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, n, m = tokens.shape
    at = torch.arange(m, device=tokens.device).expand(n, m)
    path = [at]
    for p in parents[1:].flip(0):
        at = p.long().gather(1, at)
        path.append(at)
    return tokens.gather(2, torch.stack(path[::-1])).permute(1, 2, 0)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    values, i = scores.div(lengths.to(scores.dtype).add(5).div(6).pow(alpha)).max(-1)
    return sequences[torch.arange(i.numel(), device=i.device), i], values
