import torch
import torch.nn.functional as F


def start_beams(logits, keys, values, beams):
    logp = F.log_softmax(logits, dim=-1)
    scores, tokens = torch.topk(logp, beams)
    row = torch.arange(logits.shape[0], device=logits.device).repeat_interleave(beams)
    return scores, tokens, keys[row], values[row]


def beam_step(scores, logits, keys, values, finished, eos):
    b, k = scores.shape
    logp = F.log_softmax(logits, dim=-1).reshape(b, k, -1)
    v = logp.shape[-1]
    frozen = torch.full((v,), -1e4, dtype=logp.dtype, device=logp.device)
    frozen[eos] = 0.0
    logp = torch.where(finished[:, :, None], frozen, logp)
    total = (scores[:, :, None] + logp).reshape(b, k * v)
    new_scores, flat = total.topk(k, dim=1, sorted=True)
    parents = torch.div(flat, v, rounding_mode="floor")
    tokens = flat - parents * v
    offset = k * torch.arange(b, device=flat.device)[:, None]
    rows = (offset + parents).reshape(-1)
    now = torch.gather(finished, 1, parents) | tokens.eq(eos)
    return new_scores, tokens, parents, now, keys.index_select(0, rows), values.index_select(0, rows)


def trace_back(tokens, parents):
    steps, b, k = tokens.shape
    out = tokens.new_empty(b, k, steps)
    for s in range(b):
        for j in range(k):
            beam = j
            for t in range(steps - 1, -1, -1):
                out[s, j, t] = tokens[t, s, beam]
                beam = int(parents[t, s, beam])
    return out


def best_sequence(sequences, scores, lengths, alpha):
    norm = scores / torch.pow((5.0 + lengths).to(scores.dtype) / 6.0, alpha)
    index = norm.argmax(dim=1)
    chosen = sequences.gather(1, index[:, None, None].expand(-1, 1, sequences.shape[2])).squeeze(1)
    return chosen, norm.gather(1, index[:, None]).squeeze(1)
