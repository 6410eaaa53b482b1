import torch
from torch import nn


def start_beams(next_token_logits, past_key, past_value, num_beams):
    next_token_scores = nn.functional.log_softmax(next_token_logits, dim=-1)
    beam_scores, input_ids = torch.topk(
        next_token_scores, num_beams, dim=1, largest=True, sorted=True
    )
    expanded_return_idx = (
        torch.arange(next_token_logits.shape[0], device=next_token_logits.device)
        .view(-1, 1)
        .repeat(1, num_beams)
        .view(-1)
    )
    return (
        beam_scores,
        input_ids,
        past_key.index_select(0, expanded_return_idx),
        past_value.index_select(0, expanded_return_idx),
    )


def beam_step(beam_scores, next_token_logits, past_key, past_value, is_done, eos_token_id):
    batch_size, num_beams = beam_scores.shape
    vocab_size = next_token_logits.shape[-1]
    next_token_scores = nn.functional.log_softmax(next_token_logits, dim=-1)

    done = is_done.view(-1, 1)
    next_token_scores = next_token_scores.masked_fill(done, -float("inf"))
    next_token_scores[:, eos_token_id] = torch.where(
        done[:, 0], torch.zeros_like(next_token_scores[:, 0]), next_token_scores[:, eos_token_id]
    )
    next_token_scores = next_token_scores + beam_scores.view(-1, 1).expand_as(next_token_scores)
    next_token_scores = next_token_scores.view(batch_size, num_beams * vocab_size)

    next_token_scores, next_tokens = torch.topk(
        next_token_scores, num_beams, dim=1, largest=True, sorted=True
    )
    next_indices = torch.div(next_tokens, vocab_size, rounding_mode="floor")
    next_tokens = next_tokens % vocab_size

    batch_idx = torch.arange(batch_size, device=beam_scores.device).unsqueeze(1) * num_beams
    beam_idx = (batch_idx + next_indices).view(-1)
    is_done = is_done.view(-1)[beam_idx].view(batch_size, num_beams) | next_tokens.eq(eos_token_id)
    past_key = past_key.index_select(0, beam_idx)
    past_value = past_value.index_select(0, beam_idx)
    return next_token_scores, next_tokens, next_indices, is_done, past_key, past_value


def trace_back(next_tokens, beam_indices):
    steps = next_tokens.size(0)
    output = next_tokens.new_zeros(next_tokens.size(1), next_tokens.size(2), steps)
    output[:, :, -1] = next_tokens[-1]
    pointer = beam_indices[-1]
    for idx in range(steps - 2, -1, -1):
        output[:, :, idx] = torch.gather(next_tokens[idx], 1, pointer)
        pointer = torch.gather(beam_indices[idx], 1, pointer)
    return output


def best_sequence(sequences, sum_logprobs, lengths, length_penalty):
    scores = sum_logprobs / torch.pow((5.0 + lengths) / 6.0, length_penalty)
    best_score, best_idx = torch.topk(scores, 1, dim=1)
    index = best_idx.unsqueeze(-1).expand(-1, -1, sequences.size(-1))
    return sequences.gather(1, index).squeeze(1), best_score.squeeze(1)
