import torch
import torch.nn.functional as F


def start_beams(logits, keys, values, beams):
    log_probs = F.log_softmax(logits, dim=-1)
    scores, tokens = log_probs.topk(beams, dim=-1)
    return scores, tokens, keys.repeat_interleave(beams, dim=0), values.repeat_interleave(beams, dim=0)


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    vocab = logits.shape[-1]
    log_probs = F.log_softmax(logits, dim=-1).view(batch, beams, vocab)
    only_eos = torch.full_like(log_probs, float("-inf"))
    only_eos[..., eos] = 0.0
    log_probs = torch.where(finished.unsqueeze(-1), only_eos, log_probs)
    candidates = (scores.unsqueeze(-1) + log_probs).view(batch, beams * vocab)
    new_scores, idx = candidates.topk(beams, dim=-1)
    parents = idx // vocab
    tokens = idx % vocab
    finished = finished | (tokens == eos)
    rows = (parents + torch.arange(batch, device=idx.device).unsqueeze(1) * beams).flatten()
    return new_scores, tokens, parents, finished, keys[rows], values[rows]


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    sequences = torch.empty(batch, beams, steps, dtype=tokens.dtype, device=tokens.device)
    beam = torch.arange(beams, device=tokens.device).expand(batch, beams)
    for t in range(steps - 1, -1, -1):
        sequences[:, :, t] = tokens[t].gather(1, beam)
        if t > 0:
            beam = parents[t].long().gather(1, beam)
    return sequences


def best_sequence(sequences, scores, lengths, alpha):
    penalized = scores / ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    best, idx = penalized.max(dim=1)
    return sequences[torch.arange(len(idx), device=idx.device), idx], best
