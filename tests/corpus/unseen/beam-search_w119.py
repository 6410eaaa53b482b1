import torch

INF = float("inf")


def shape_list(x):
    return list(x.shape)


def tile_batch(x, multiplier):
    """[batch, ...] -> [batch * multiplier, ...]"""
    return torch.tile(x, [multiplier] + [1] * (x.dim() - 1))


def batch_gather(x, indices):
    """x [batch, beams, ...], indices [batch, n] -> [batch, n, ...]"""
    batch_index = torch.arange(x.shape[0], device=x.device)[:, None]
    return x[batch_index, indices]


def _unmerge(x, batch_size, beam_size):
    return torch.reshape(x, [batch_size, beam_size] + shape_list(x)[1:])


def _merge(x):
    return torch.reshape(x, [-1] + shape_list(x)[2:])


def start_beams(logits, keys, values, beams):
    log_probs = torch.log_softmax(logits, dim=-1)
    scores, ids = torch.topk(log_probs, k=beams)
    return scores, ids, tile_batch(keys, beams), tile_batch(values, beams)


def beam_step(scores, logits, keys, values, finished, eos):
    batch_size, beam_size = shape_list(scores)
    log_probs = _unmerge(torch.log_softmax(logits, dim=-1), batch_size, beam_size)
    vocab_size = log_probs.shape[2]

    # finished beams may only be continued with eos, at no cost
    one_hot = torch.nn.functional.one_hot(torch.tensor(eos), vocab_size).to(scores.device)
    eos_only = torch.where(one_hot > 0, 0.0, -INF).to(log_probs.dtype)
    log_probs = torch.where(finished[:, :, None], eos_only[None, None], log_probs)

    flat = torch.reshape(scores[:, :, None] + log_probs, [batch_size, beam_size * vocab_size])
    new_scores, flat_ids = torch.topk(flat, k=beam_size, sorted=True)
    parents, ids = flat_ids // vocab_size, flat_ids % vocab_size

    new_finished = torch.logical_or(batch_gather(finished, parents), ids == eos)
    new_keys, new_values = [
        _merge(batch_gather(_unmerge(c, batch_size, beam_size), parents)) for c in (keys, values)
    ]
    return new_scores, ids, parents, new_finished, new_keys, new_values


def trace_back(tokens, parents):
    # as tfa.seq2seq.gather_tree
    max_time, batch_size, beam_size = shape_list(tokens)
    beam = torch.arange(beam_size, device=tokens.device).repeat(batch_size, 1)
    sequences = torch.zeros_like(tokens)
    for time in range(max_time - 1, 0, -1):
        sequences[time] = batch_gather(tokens[time], beam)
        beam = batch_gather(parents[time], beam).long()
    sequences[0] = batch_gather(tokens[0], beam)
    return sequences.permute(1, 2, 0)


def best_sequence(sequences, scores, lengths, alpha):
    length_penalty = torch.pow((5.0 + lengths.to(scores.dtype)) / 6.0, alpha)
    log_probs = scores / length_penalty
    top, index = torch.topk(log_probs, k=1)
    return batch_gather(sequences, index)[:, 0], top[:, 0]
