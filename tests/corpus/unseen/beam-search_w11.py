# attn-kata: beam-search
# Ported from an old Keras decoder; the names of the original are kept.
import torch


def _merge_beam_dim(x):
    return x.reshape((x.shape[0] * x.shape[1],) + tuple(x.shape[2:]))


def _unmerge_beam_dim(x, batch_size, beam_size):
    return x.reshape((batch_size, beam_size) + tuple(x.shape[1:]))


def _expand_to_beam_size(x, beam_size):
    x = torch.unsqueeze(x, 1)
    tile_dims = [1] * x.dim()
    tile_dims[1] = beam_size
    return torch.tile(x, tile_dims)


def _gather_beams(nested, beam_indices):
    batch_pos = torch.arange(beam_indices.shape[0], device=beam_indices.device).unsqueeze(1)
    return [x[batch_pos, beam_indices] for x in nested]


def start_beams(logits, keys, values, beams):
    log_probs = torch.nn.functional.log_softmax(logits, dim=-1)
    topk_log_probs, topk_ids = torch.topk(log_probs, k=beams)
    keys, values = [_merge_beam_dim(_expand_to_beam_size(c, beams)) for c in (keys, values)]
    return topk_log_probs, topk_ids, keys, values


def beam_step(scores, logits, keys, values, finished, eos):
    batch_size, beam_size = scores.shape
    vocab_size = logits.shape[-1]

    # [batch_size, beam_size * vocab_size]
    flat_logits = _unmerge_beam_dim(logits, batch_size, beam_size).reshape(batch_size, -1)
    candidate_log_probs = torch.nn.functional.log_softmax(flat_logits, dim=-1)
    candidate_log_probs = candidate_log_probs.reshape(batch_size, beam_size, vocab_size)

    eos_only = torch.full([vocab_size], float("-inf"), dtype=logits.dtype, device=logits.device)
    eos_only[eos] = 0.0
    candidate_log_probs = torch.where(finished.unsqueeze(-1), eos_only, candidate_log_probs)

    log_probs = candidate_log_probs + torch.unsqueeze(scores, dim=2)
    flat_log_probs = log_probs.reshape(batch_size, beam_size * vocab_size)
    topk_log_probs, topk_indices = torch.topk(flat_log_probs, k=beam_size)

    topk_beam_indices = topk_indices // vocab_size
    topk_ids = topk_indices % vocab_size

    nested = [finished] + [_unmerge_beam_dim(c, batch_size, beam_size) for c in (keys, values)]
    topk_finished, keys, values = _gather_beams(nested, topk_beam_indices)
    topk_finished = torch.logical_or(topk_finished, torch.eq(topk_ids, eos))
    return topk_log_probs, topk_ids, topk_beam_indices, topk_finished, _merge_beam_dim(keys), _merge_beam_dim(values)


def trace_back(tokens, parents):
    max_time, batch_size, beam_size = tokens.shape
    alive = torch.tile(torch.arange(beam_size, device=tokens.device).unsqueeze(0), [batch_size, 1])
    rows = torch.arange(batch_size, device=tokens.device).unsqueeze(1)
    seq = []
    for time in reversed(range(max_time)):
        seq.append(tokens[time][rows, alive])
        if time > 0:
            alive = parents[time].long()[rows, alive]
    seq.reverse()
    return torch.stack(seq, dim=-1)


def best_sequence(sequences, scores, lengths, alpha):
    length_norm = torch.pow((5.0 + lengths.to(torch.float64)) / 6.0, alpha)
    normed = scores / length_norm
    best = torch.argmax(normed, dim=1, keepdim=True)
    seq, score = _gather_beams([sequences, normed], best)
    return seq.squeeze(1), score.squeeze(1)
