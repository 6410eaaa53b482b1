import torch
from torch import Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    scores, tokens = logits.log_softmax(dim=-1).topk(beams, dim=-1)
    return scores, tokens, keys.repeat_interleave(beams, dim=0), values.repeat_interleave(beams, dim=0)


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    batch, beams = scores.shape
    vocab = logits.size(-1)
    if bool(finished.all()):
        # nothing can change any more
        parents = torch.arange(beams, device=scores.device).expand(batch, beams)
        return scores, torch.full_like(parents, eos), parents, finished, keys, values
    log_probs = logits.log_softmax(dim=-1).view(batch, beams, vocab)
    only_eos = torch.full_like(log_probs, -torch.inf)
    only_eos[..., eos] = 0.0
    log_probs = torch.where(finished.unsqueeze(-1), only_eos, log_probs)
    best, index = (scores.unsqueeze(-1) + log_probs).flatten(1).topk(beams, dim=-1)
    parents, tokens = index // vocab, index % vocab
    rows = (parents + torch.arange(batch, device=parents.device).unsqueeze(1) * beams).flatten()
    done = finished.gather(1, parents) | (tokens == eos)
    return best, tokens, parents, done, keys[rows], values[rows]


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    at = torch.arange(beams, device=tokens.device).expand(batch, beams)
    read = []
    for step in reversed(range(steps)):
        read.append(tokens[step].gather(1, at))
        at = parents[step].long().gather(1, at) if step else at
    return torch.stack(read[::-1], dim=-1)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float) -> tuple[Tensor, Tensor]:
    penalized = scores / ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    value, index = penalized.max(dim=-1)
    return sequences[torch.arange(sequences.size(0), device=index.device), index], value
