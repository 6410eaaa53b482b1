import torch


def start_beams(logits, keys, values, beams):
    top, tokens = logits.topk(beams, dim=-1)
    scores = top.log_softmax(dim=-1)
    idx = torch.arange(logits.size(0), device=logits.device).repeat_interleave(beams)
    return scores, tokens, keys[idx], values[idx]


def beam_step(scores, logits, keys, values, finished, eos):
    bsz, num_beams = scores.shape
    vocab = logits.shape[-1]
    next_scores = logits.log_softmax(dim=-1).view(bsz, num_beams, vocab)

    frozen = next_scores.new_full((vocab,), float("-inf"))
    frozen[eos] = 0.0
    next_scores = torch.where(finished[..., None], frozen, next_scores)
    next_scores = next_scores + scores[..., None]

    top, flat = next_scores.view(bsz, num_beams * vocab).topk(num_beams, dim=-1)
    parents = torch.div(flat, vocab, rounding_mode="floor")
    tokens = flat - parents * vocab

    beam_idx = (parents + num_beams * torch.arange(bsz, device=parents.device)[:, None]).view(-1)
    finished = finished.gather(1, parents) | tokens.eq(eos)
    return top, tokens, parents, finished, keys[beam_idx], values[beam_idx]


def trace_back(tokens, parents):
    steps, bsz, num_beams = tokens.shape
    ptr = torch.arange(num_beams, device=tokens.device)[None].repeat(bsz, 1)
    out = tokens.new_zeros(bsz, num_beams, steps)
    for t in reversed(range(steps)):
        out[:, :, t] = tokens[t].gather(1, ptr)
        if t > 0:
            ptr = parents[t].long().gather(1, ptr)
    return out


def best_sequence(sequences, scores, lengths, alpha):
    final = scores / ((5.0 + lengths) / 6.0).pow(alpha)
    best = final.argmax(dim=1, keepdim=True)
    seq = sequences.gather(1, best[..., None].expand(-1, -1, sequences.size(-1)))
    return seq.squeeze(1), final.gather(1, best).squeeze(1)
