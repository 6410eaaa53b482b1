import torch
from torch import Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    logprobs = torch.log_softmax(logits, dim=-1)
    scores, tokens = torch.topk(logprobs, beams, dim=-1)
    # every beam starts from the prompt's cache
    keys = keys.repeat(beams, 1, 1, 1)
    values = values.repeat(beams, 1, 1, 1)
    return scores, tokens, keys, values


def beam_step(scores, logits, keys, values, finished, eos):
    batch_size, num_beams = scores.shape
    vocab_size = logits.shape[-1]

    logprobs = torch.log_softmax(logits, dim=-1)
    logprobs = logprobs.view(batch_size, num_beams, vocab_size)

    # finished beams can only be followed by eos, at no cost
    only_eos = torch.full_like(logprobs, float("-inf"))
    only_eos[:, :, eos] = 0.0
    logprobs = torch.where(finished[:, :, None], only_eos, logprobs)

    total = scores[:, :, None] + logprobs
    total = total.view(batch_size, num_beams * vocab_size)
    new_scores, flat = torch.topk(total, num_beams, dim=-1)
    parents = flat // vocab_size
    tokens = flat % vocab_size

    new_finished = finished.gather(1, parents) | (tokens == eos)
    offset = torch.arange(batch_size, device=scores.device)[:, None] * num_beams
    rows = (parents + offset).view(-1)
    return new_scores, tokens, parents, new_finished, keys[rows], values[rows]


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch_size, num_beams = tokens.shape
    current = torch.arange(num_beams, device=tokens.device).repeat(batch_size, 1)
    out = []
    for step in range(steps - 1, -1, -1):
        out.insert(0, torch.gather(tokens[step], 1, current))
        if step > 0:
            current = torch.gather(parents[step].long(), 1, current)
    return torch.stack(out, dim=-1)


def best_sequence(sequences, scores, lengths, alpha):
    lp = ((5.0 + lengths.to(scores.dtype)) / 6.0) ** alpha
    normed = scores / lp
    best = normed.argmax(dim=-1)
    i = torch.arange(scores.shape[0], device=scores.device)
    return sequences[i, best], normed[i, best]
