# wrong: beam-search trace-first-step-left line 31
import torch


def start_beams(logits, keys, values, beams):
    scores, tokens = logits.log_softmax(dim=-1).topk(beams, dim=-1)
    idx = torch.arange(logits.shape[0] * beams, device=logits.device).div(beams, rounding_mode="floor")
    return scores, tokens, keys[idx], values[idx]


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    vocab = logits.shape[-1]
    lp = logits.log_softmax(dim=-1).reshape(batch, beams, vocab)
    closed = torch.ones(vocab, dtype=torch.bool, device=lp.device)
    closed[eos] = False
    lp = lp * (~finished)[..., None]
    lp = lp.masked_fill(finished[..., None] & closed, -torch.inf)
    scores, flat = (lp + scores[..., None]).reshape(batch, -1).sort(dim=-1, descending=True)
    scores, flat = scores[:, :beams], flat[:, :beams]
    parents, tokens = flat // vocab, flat % vocab
    finished = finished.gather(-1, parents) | tokens.eq(eos)
    index = (parents + torch.arange(0, batch * beams, beams, device=lp.device)[:, None]).flatten()
    return scores, tokens, parents, finished, keys[index], values[index]


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    sequences = tokens.permute(1, 2, 0).clone()
    pointer = torch.arange(beams, device=tokens.device).expand(batch, beams)
    for step in range(steps - 1, 0, -1):
        sequences[..., step] = tokens[step].gather(-1, pointer)
        pointer = parents[step].long().gather(-1, pointer)
    return sequences


def best_sequence(sequences, scores, lengths, alpha):
    penalized = scores / ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    best = penalized.argmax(dim=-1, keepdim=True)
    sequence = torch.take_along_dim(sequences, best[..., None], dim=1)
    return sequence.squeeze(1), penalized.gather(1, best).squeeze(1)
