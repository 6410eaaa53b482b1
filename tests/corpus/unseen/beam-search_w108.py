import torch
import torch.nn.functional as F


def start_beams(logits, keys, values, beams):
    log_probs = F.log_softmax(logits, dim=-1)
    scores, tokens = torch.topk(log_probs, beams, dim=-1)
    keys = torch.repeat_interleave(keys, beams, dim=0)
    values = torch.repeat_interleave(values, beams, dim=0)
    return scores, tokens, keys, values


def beam_step(scores, logits, keys, values, finished, eos):
    batch_size, num_beams = scores.shape
    vocab_size = logits.shape[-1]

    log_probs = F.log_softmax(logits, dim=-1).view(batch_size, num_beams, vocab_size)
    eos_only = torch.full_like(log_probs, float("-inf"))
    eos_only[..., eos] = 0.0
    log_probs = torch.where(finished[..., None], eos_only, log_probs)

    candidates = (scores[..., None] + log_probs).view(batch_size, num_beams * vocab_size)
    new_scores, flat = torch.topk(candidates, num_beams, dim=-1)
    parents = flat // vocab_size
    tokens = flat % vocab_size

    new_finished = torch.gather(finished, 1, parents) | (tokens == eos)
    offset = torch.arange(batch_size, device=logits.device)[:, None] * num_beams
    rows = (parents + offset).view(-1)
    return new_scores, tokens, parents, new_finished, keys[rows], values[rows]


def trace_back(tokens, parents):
    steps, batch_size, num_beams = tokens.shape
    pointer = torch.arange(num_beams, device=tokens.device).expand(batch_size, num_beams)
    out = []
    for t in reversed(range(steps)):
        out.append(torch.gather(tokens[t], 1, pointer))
        if t > 0:
            pointer = torch.gather(parents[t].long(), 1, pointer)
    return torch.stack(out[::-1], dim=-1)


def best_sequence(sequences, scores, lengths, alpha):
    penalty = (5 + lengths.to(scores.dtype) / 6) ** alpha
    penalized = scores / penalty
    best = penalized.argmax(dim=-1)
    index = best[:, None, None].expand(-1, 1, sequences.shape[-1])
    return sequences.gather(1, index)[:, 0], penalized.gather(1, best[:, None])[:, 0]
