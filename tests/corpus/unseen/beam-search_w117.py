import torch
import torch.nn as nn


def _expand_inputs_for_generation(expand_size, *past):
    return tuple(layer.repeat_interleave(expand_size, dim=0) for layer in past)


def _reorder_cache(past_key_values, beam_idx):
    return tuple(past_state.index_select(0, beam_idx) for past_state in past_key_values)


def start_beams(logits, keys, values, beams):
    next_token_scores = nn.functional.log_softmax(logits, dim=-1)
    beam_scores, beam_tokens = torch.topk(next_token_scores, beams, dim=1, largest=True, sorted=True)
    keys, values = _expand_inputs_for_generation(beams, keys, values)
    return beam_scores, beam_tokens, keys, values


def beam_step(scores, logits, keys, values, finished, eos):
    batch_size, num_beams = scores.shape
    vocab_size = logits.shape[-1]

    next_token_scores = nn.functional.log_softmax(logits, dim=-1)  # (batch_size * num_beams, vocab_size)

    # a finished beam is padded with eos
    closed = torch.full_like(next_token_scores, -float("inf"))
    closed[:, eos] = 0
    next_token_scores = torch.where(finished.reshape(-1, 1), closed, next_token_scores)

    next_token_scores = next_token_scores + scores.reshape(-1, 1)
    next_token_scores = next_token_scores.view(batch_size, num_beams * vocab_size)
    next_scores, next_tokens = torch.topk(next_token_scores, num_beams, dim=1, largest=True, sorted=True)

    next_indices = torch.div(next_tokens, vocab_size, rounding_mode="floor")
    next_tokens = next_tokens % vocab_size
    is_done = finished | next_tokens.eq(eos)

    offset = torch.arange(0, batch_size * num_beams, num_beams, device=scores.device)
    beam_idx = (next_indices + offset.unsqueeze(-1)).view(-1)
    keys, values = _reorder_cache((keys, values), beam_idx)
    return next_scores, next_tokens, next_indices, is_done, keys, values


def trace_back(tokens, parents):
    steps, batch_size, num_beams = tokens.shape
    beam_idx = torch.arange(num_beams, device=tokens.device).repeat(batch_size, 1)
    decoded = []
    for step in range(steps - 1, -1, -1):
        decoded.insert(0, torch.gather(tokens[step], 1, beam_idx))
        beam_idx = torch.gather(parents[step].long(), 1, beam_idx) if step > 0 else None
    return torch.stack(decoded, dim=-1)


def best_sequence(sequences, scores, lengths, alpha):
    length_penalty = (5 + lengths.to(scores.dtype)) / 6
    length_penalty = length_penalty.pow(alpha)
    final = scores / length_penalty
    best = final.argmax(dim=-1)
    rows = torch.arange(sequences.shape[0], device=sequences.device)
    return sequences[rows, best], final[rows, best]
