# wrong: beam-search beam-logits-added line 30
# fair: beam-logits-added 33, 34
import torch


def start_beams(logits, keys, values, beams):
    logp = logits.log_softmax(dim=-1)
    scores, tokens = logp.topk(beams)
    index = torch.arange(len(logits), device=logits.device).repeat_interleave(beams)
    return scores, tokens, keys[index], values[index]


def pick_rows(x, parents):
    """Rows of (batch * beams, ...) by parents (batch, beams)."""
    batch, beams = parents.shape
    shift = torch.arange(batch, device=parents.device) * beams
    return x[(parents + shift[:, None]).reshape(-1)]


def hold(step, finished, eos):
    held = torch.full_like(step, -torch.inf)
    held[:, :, eos] = 0
    return torch.where(finished[:, :, None], held, step)


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    vocab = logits.shape[1]
    # (batch, beams, vocab)
    step = logits.view(batch, beams, vocab)
    step = hold(step, finished, eos)

    total = scores[:, :, None] + step
    top, index = total.view(batch, -1).topk(beams)
    parents, tokens = index // vocab, index % vocab
    finished = finished.gather(1, parents) | (tokens == eos)
    return top, tokens, parents, finished, pick_rows(keys, parents), pick_rows(values, parents)


def trace_back(tokens, parents):
    beam = torch.arange(tokens.shape[2], device=tokens.device).expand(tokens.shape[1:])
    out = torch.empty_like(tokens)
    for s in reversed(range(len(tokens))):
        out[s] = tokens[s].gather(1, beam)
        beam = parents[s].gather(1, beam)
    return out.permute(1, 2, 0)


def best_sequence(sequences, scores, lengths, alpha):
    penalty = ((5 + lengths) / 6) ** alpha
    value, index = (scores / penalty).max(dim=1)
    return sequences[torch.arange(len(index), device=index.device), index], value
