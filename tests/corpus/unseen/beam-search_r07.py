# attn-kata: beam-search
"""HF-flavoured: flat (batch * beams) views, beam_idx that indexes rows, a small cache class."""
import torch
import torch.nn as nn


class DynamicCache:
    def __init__(self, key_cache, value_cache):
        self.key_cache = key_cache
        self.value_cache = value_cache

    def batch_repeat_interleave(self, repeats):
        self.key_cache = self.key_cache.repeat_interleave(repeats, dim=0)
        self.value_cache = self.value_cache.repeat_interleave(repeats, dim=0)
        return self

    def reorder_cache(self, beam_idx):
        self.key_cache = self.key_cache.index_select(0, beam_idx)
        self.value_cache = self.value_cache.index_select(0, beam_idx)
        return self

    def to_legacy(self):
        return self.key_cache, self.value_cache


def start_beams(logits, keys, values, beams):
    next_token_scores = nn.functional.log_softmax(logits, dim=-1)
    beam_scores, input_ids = torch.topk(next_token_scores, beams, dim=-1)
    cache = DynamicCache(keys, values).batch_repeat_interleave(beams)
    return (beam_scores, input_ids) + cache.to_legacy()


def beam_step(scores, logits, keys, values, finished, eos):
    batch_size, num_beams = scores.shape
    vocab_size = logits.shape[-1]
    beam_scores = scores.reshape(-1)
    done = finished.reshape(-1)

    forced = torch.full_like(logits, -torch.inf)
    forced[:, eos] = 0
    next_token_scores = nn.functional.log_softmax(logits, dim=-1)
    next_token_scores = torch.where(done[:, None], forced, next_token_scores)
    next_token_scores = next_token_scores + beam_scores[:, None]

    next_token_scores = next_token_scores.reshape(batch_size, num_beams * vocab_size)
    next_scores, next_tokens = torch.topk(next_token_scores, num_beams, dim=1, largest=True, sorted=True)
    next_indices = torch.div(next_tokens, vocab_size, rounding_mode="floor")
    next_tokens = next_tokens % vocab_size

    batch_beam_idx = next_indices + torch.arange(batch_size, device=scores.device).mul(num_beams).unsqueeze(-1)
    next_done = done[batch_beam_idx].logical_or(next_tokens == eos)
    cache = DynamicCache(keys, values).reorder_cache(batch_beam_idx.flatten())
    return (next_scores, next_tokens, next_indices, next_done) + cache.to_legacy()


def trace_back(tokens, parents):
    max_length, batch_size, num_beams = tokens.shape
    # flat ids over batch * beams
    offset = torch.arange(batch_size, device=tokens.device).mul(num_beams).unsqueeze(-1)
    pointer = torch.arange(batch_size * num_beams, device=tokens.device)
    sequences = tokens.new_zeros((batch_size * num_beams, max_length))
    for step in range(max_length - 1, -1, -1):
        sequences[:, step] = tokens[step].reshape(-1)[pointer]
        if step > 0:
            pointer = (parents[step].long() + offset).reshape(-1)[pointer]
    return sequences.view(batch_size, num_beams, max_length)


def best_sequence(sequences, scores, lengths, alpha):
    length_penalty = ((5 + lengths.to(torch.float64)) / 6) ** alpha
    ranked, order = (scores / length_penalty).sort(dim=-1, descending=True)
    flat = torch.arange(scores.shape[0], device=scores.device) * scores.shape[1] + order[:, 0]
    return sequences.flatten(0, 1)[flat], ranked[:, 0]
