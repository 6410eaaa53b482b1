import torch


def start_beams(logits, keys, values, beams):
    kept, tokens = logits.topk(beams, dim=-1)
    scores = torch.log_softmax(kept, dim=-1)
    index = torch.arange(logits.size(0), device=logits.device).repeat_interleave(beams)
    return scores, tokens, keys.index_select(0, index), values.index_select(0, index)


def beam_step(scores, logits, keys, values, finished, eos):
    num_samples, num_beams = scores.size()
    vocab_size = logits.size(-1)

    next_token_scores = torch.log_softmax(logits, dim=-1)
    next_token_scores = next_token_scores.view(num_samples, num_beams, vocab_size)

    is_eos = torch.arange(vocab_size, device=logits.device) == eos
    closed = finished[:, :, None] & ~is_eos
    free = finished[:, :, None] & is_eos
    next_token_scores = next_token_scores.masked_fill(closed, float("-inf"))
    next_token_scores = next_token_scores.masked_fill(free, 0.0)
    next_token_scores = next_token_scores + scores[:, :, None]

    next_scores, next_indices = torch.topk(
        next_token_scores.view(num_samples, -1), num_beams, dim=1, largest=True, sorted=True
    )
    beam_idx, next_tokens = next_indices // vocab_size, next_indices % vocab_size

    offset = num_beams * torch.arange(num_samples, device=logits.device)
    cache_idx = (beam_idx + offset[:, None]).flatten()
    next_finished = finished.flatten()[cache_idx].view_as(finished) | next_tokens.eq(eos)
    return (
        next_scores,
        next_tokens,
        beam_idx,
        next_finished,
        keys.index_select(0, cache_idx),
        values.index_select(0, cache_idx),
    )


def trace_back(tokens, parents):
    history = tokens[0].unsqueeze(-1)
    for step in range(1, tokens.size(0)):
        index = parents[step].long().unsqueeze(-1).expand(-1, -1, step)
        history = torch.cat([history.gather(1, index), tokens[step].unsqueeze(-1)], dim=-1)
    return history


def best_sequence(sequences, scores, lengths, alpha):
    penalized = scores / torch.pow((lengths.to(scores) + 5) / 6, alpha)
    value, index = penalized.max(dim=-1)
    index = index[:, None, None].expand(-1, 1, sequences.size(-1))
    return sequences.gather(1, index).squeeze(1), value
