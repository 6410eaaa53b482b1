# wrong: beam-search trace-parent-early line 43
# fair: trace-parent-early 44
import torch


def start_beams(logits, keys, values, beams):
    log_probs = torch.log_softmax(logits.float(), dim=-1)
    scores, tokens = log_probs.topk(beams, dim=-1)
    batch, heads, length, width = keys.shape
    tile = lambda x: x.unsqueeze(1).repeat(1, beams, 1, 1, 1).view(-1, heads, length, width)
    return scores.type_as(logits), tokens, tile(keys), tile(values)


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    log_probs = torch.log_softmax(logits.float(), dim=-1).view(batch, beams, -1)
    vocab = log_probs.size(-1)
    fill = torch.finfo(torch.float32).min
    pad = torch.full((vocab,), fill, device=logits.device)
    pad[eos] = 0.0
    log_probs = log_probs * (~finished).unsqueeze(-1) + pad * finished.unsqueeze(-1)
    total = log_probs + scores.float().unsqueeze(-1)
    new_scores, flat = total.view(batch, -1).topk(beams, dim=-1, sorted=True)
    parents = (flat / vocab).floor().long()
    tokens = flat - vocab * parents
    batch_index = torch.arange(batch, device=logits.device).unsqueeze(1).expand_as(parents)
    new_finished = finished[batch_index, parents] + (tokens == eos)
    keys_by_beam = keys.unflatten(0, (batch, beams))
    values_by_beam = values.unflatten(0, (batch, beams))
    index = parents.view(batch, beams, 1, 1, 1).expand_as(keys_by_beam)
    return (
        new_scores.type_as(scores),
        tokens,
        parents,
        new_finished,
        keys_by_beam.gather(1, index).flatten(0, 1),
        values_by_beam.gather(1, index).flatten(0, 1),
    )


def trace_back(tokens, parents):
    def walk(step, beam):
        beam = parents[step].gather(1, beam)
        here = tokens[step].gather(1, beam).unsqueeze(-1)
        if step == 0:
            return here
        return torch.cat([walk(step - 1, beam), here], dim=-1)

    start = torch.arange(tokens.size(2), device=tokens.device).expand(tokens.shape[1:])
    return walk(tokens.size(0) - 1, start)


def best_sequence(sequences, scores, lengths, alpha):
    norm = ((lengths + 5.0) / 6.0).pow(alpha)
    final = scores / norm
    index = final.argmax(-1)
    picked = torch.stack([beams[i] for beams, i in zip(sequences, index)])
    return picked, final.max(-1).values
