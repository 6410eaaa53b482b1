import torch


def start_beams(logits, keys, values, beams):
    logprobs = torch.log_softmax(logits, dim=-1)
    scores, tokens = torch.topk(logprobs, beams)
    keys = torch.repeat_interleave(keys, beams, dim=0)
    values = torch.repeat_interleave(values, beams, dim=0)
    return scores, tokens, keys, values


def beam_step(scores, logits, keys, values, finished, eos):
    batch_size, num_beams = scores.shape
    vocab_size = logits.shape[-1]

    next_scores = torch.log_softmax(logits, dim=-1)
    is_done = finished.reshape(-1, 1)
    next_scores = next_scores.masked_fill(is_done, float("-inf"))
    next_scores[:, eos] = torch.where(finished.reshape(-1), 0.0, next_scores[:, eos])

    next_scores = next_scores + scores.reshape(-1, 1)
    next_scores = next_scores.view(batch_size, num_beams * vocab_size)
    next_scores, next_tokens = torch.topk(next_scores, num_beams, dim=1, largest=True, sorted=True)

    beam_indices = torch.div(next_tokens, vocab_size, rounding_mode="floor")
    next_tokens = next_tokens % vocab_size

    offset = torch.arange(batch_size, device=scores.device).unsqueeze(1) * num_beams
    beam_idx = (beam_indices + offset).view(-1)
    finished = finished.gather(1, beam_indices) | (next_tokens == eos)
    return (next_scores, next_tokens, beam_indices, finished,
            keys.index_select(0, beam_idx), values.index_select(0, beam_idx))


def trace_back(tokens, parents):
    steps, batch_size, num_beams = tokens.shape
    out = torch.empty(batch_size, num_beams, steps, dtype=tokens.dtype, device=tokens.device)
    ptr = torch.arange(num_beams, device=tokens.device).repeat(batch_size, 1)
    for t in reversed(range(steps)):
        out[:, :, t] = tokens[t].gather(1, ptr)
        if t > 0:
            ptr = parents[t].long().gather(1, ptr)
    return out


def best_sequence(sequences, scores, lengths, alpha):
    length_penalty = ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    ranked = scores / length_penalty
    best = ranked.argmax(dim=1)
    rows = torch.arange(sequences.shape[0], device=sequences.device)
    return sequences[rows, best], scores[rows, best]
