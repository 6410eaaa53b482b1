# wrong: beam-search batch-mixed line 25
# fair: batch-mixed 26
import torch
from einops import rearrange, repeat
from torch import Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    log_probs = logits - logits.logsumexp(dim=-1, keepdim=True)
    scores, tokens = log_probs.topk(beams)
    keys = repeat(keys, "b h t d -> (b k) h t d", k=beams)
    values = repeat(values, "b h t d -> (b k) h t d", k=beams)
    return scores, tokens, keys, values


def beam_step(scores, logits, keys, values, finished, eos):
    beams = scores.shape[1]
    log_probs = logits - logits.logsumexp(dim=-1, keepdim=True)
    log_probs = rearrange(log_probs, "(b k) v -> b k v", k=beams)
    held = torch.full_like(log_probs, -torch.inf)
    held[..., eos] = 0
    step = torch.where(rearrange(finished, "b k -> b k 1"), held, log_probs)
    total = rearrange(scores, "b k -> b k 1") + step
    vocab = total.shape[-1]
    scores, index = total.flatten().topk(scores.numel())
    scores, index = (rearrange(x, "(b k) -> b k", k=beams) for x in (scores, index % (beams * vocab)))
    parents, tokens = torch.unravel_index(index, (beams, vocab))
    finished = torch.take_along_dim(finished, parents, 1) | (tokens == eos)

    def reorder(cache):
        cache = rearrange(cache, "(b k) h t d -> b k h t d", k=beams)
        cache = torch.take_along_dim(cache, rearrange(parents, "b k -> b k 1 1 1"), dim=1)
        return rearrange(cache, "b k h t d -> (b k) h t d")

    return scores, tokens, parents, finished, reorder(keys), reorder(values)


def trace_back(tokens, parents):
    first, *rest = rearrange(tokens, "s b k -> s b k 1")
    history = first
    for token, parent in zip(rest, rearrange(parents, "s b k -> s b k 1")[1:]):
        history = torch.cat([torch.take_along_dim(history, parent, dim=1), token], dim=-1)
    return history


def best_sequence(sequences, scores, lengths, alpha):
    penalized = scores * ((5 + lengths.double()) / 6) ** -alpha
    best = penalized.argmax(dim=1, keepdim=True)
    chosen = torch.take_along_dim(sequences, best[..., None], dim=1)
    return rearrange(chosen, "b 1 s -> b s"), rearrange(
        penalized.gather(1, best), "b 1 -> b"
    )
