# wrong: beam-search finished-not-reordered line 47
import torch

NEG_INF = -1.0e7


def flatten_beam_dim(x):
    return x.reshape((x.shape[0] * x.shape[1],) + tuple(x.shape[2:]))


def unflatten_beam_dim(x, batch_size, beam_size):
    return x.reshape((batch_size, beam_size) + tuple(x.shape[1:]))


def add_beam_dim(x, beam_size):
    return x.unsqueeze(1).expand(x.shape[0], beam_size, *x.shape[1:])


def gather_beams(x, beam_indices):
    index = beam_indices.reshape(beam_indices.shape + (1,) * (x.dim() - 2))
    return torch.take_along_dim(x, index, dim=1)


def start_beams(logits, keys, values, beam_size):
    log_probs = torch.log_softmax(logits, -1)
    scores, tokens = torch.topk(log_probs, beam_size)
    expand = lambda cache: flatten_beam_dim(add_beam_dim(cache, beam_size))
    return scores, tokens, expand(keys), expand(values)


def beam_step(scores, logits, keys, values, finished, eos):
    batch_size, beam_size = scores.shape
    candidate_log_probs = unflatten_beam_dim(
        torch.log_softmax(logits, -1), batch_size, beam_size
    )
    vocab_size = candidate_log_probs.shape[-1]
    one_hot = torch.nn.functional.one_hot(torch.tensor(eos), vocab_size).to(logits.device)
    held = (1 - one_hot) * NEG_INF
    candidate_log_probs = torch.where(
        finished[:, :, None], held.to(logits.dtype), candidate_log_probs
    )
    log_probs = candidate_log_probs + scores[:, :, None]
    flat_log_probs = log_probs.reshape(batch_size, beam_size * vocab_size)
    topk_log_probs, topk_indices = torch.topk(flat_log_probs, beam_size)
    topk_beam_indices = topk_indices // vocab_size
    topk_ids = topk_indices % vocab_size
    ended = finished | (topk_ids == eos)
    caches = [
        flatten_beam_dim(
            gather_beams(unflatten_beam_dim(cache, batch_size, beam_size), topk_beam_indices)
        )
        for cache in (keys, values)
    ]
    return topk_log_probs, topk_ids, topk_beam_indices, ended, *caches


def trace_back(tokens, parents):
    sequences = tokens[0].unsqueeze(-1)
    for token, parent in zip(tokens[1:], parents[1:]):
        sequences = torch.cat([gather_beams(sequences, parent), token.unsqueeze(-1)], dim=-1)
    return sequences


def brevity_penalty(alpha, length):
    return torch.pow((5.0 + length) / 6.0, alpha)


def best_sequence(sequences, scores, lengths, alpha):
    normalized = scores / brevity_penalty(alpha, lengths.to(scores.dtype))
    index = normalized.argmax(dim=1, keepdim=True)
    return gather_beams(sequences, index)[:, 0], gather_beams(normalized, index)[:, 0]
