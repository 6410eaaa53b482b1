# fairseq / HF habits: flat top-k over beams * vocab, caches moved with index_select (reorder_cache)
import torch


def _reorder_cache(past, beam_idx):
    return tuple(layer_past.index_select(0, beam_idx) for layer_past in past)


def start_beams(logits, keys, values, beams):
    lprobs = torch.log_softmax(logits, dim=-1)
    scores, tokens = torch.topk(lprobs, beams, dim=-1, largest=True, sorted=True)
    expand_idx = torch.arange(logits.size(0), device=logits.device).repeat_interleave(beams)
    keys, values = _reorder_cache((keys, values), expand_idx)
    return scores, tokens, keys, values


def beam_step(scores, logits, keys, values, finished, eos):
    bsz, beam_size = scores.shape
    vocab = logits.size(-1)
    lprobs = torch.log_softmax(logits, dim=-1).view(bsz, beam_size, vocab)
    # a finished beam: eos for nothing, all else impossible
    frozen = torch.full((vocab,), float("-inf"), dtype=lprobs.dtype, device=lprobs.device)
    frozen[eos] = 0.0
    lprobs = torch.where(finished.bool().unsqueeze(-1), frozen, lprobs)
    cand = (scores.unsqueeze(-1) + lprobs).view(bsz, beam_size * vocab)
    new_scores, flat = torch.topk(cand, beam_size, dim=1)
    parents = torch.div(flat, vocab, rounding_mode="floor")
    tokens = flat.fmod(vocab)
    done = finished.bool().gather(1, parents) | tokens.eq(eos)
    rows = (parents + torch.arange(bsz, device=parents.device).unsqueeze(1) * beam_size).view(-1)
    keys, values = _reorder_cache((keys, values), rows)
    return new_scores, tokens, parents, done, keys, values


def trace_back(tokens, parents):
    steps, bsz, beam_size = tokens.shape
    at = torch.arange(beam_size, device=tokens.device).expand(bsz, beam_size)
    out = []
    for step in range(steps - 1, -1, -1):
        out.append(tokens[step].gather(1, at))
        if step > 0:
            at = parents[step].long().gather(1, at)
    return torch.stack(out[::-1], dim=-1)


def best_sequence(sequences, scores, lengths, alpha):
    lp = torch.pow((5 + lengths.to(scores.dtype)) / 6, alpha)
    penalized = scores / lp
    value, which = penalized.max(dim=1)
    return sequences[torch.arange(len(which), device=which.device), which], value
