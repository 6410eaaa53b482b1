# wrong: beam-search beam-children-limited line 25
# fair: beam-children-limited 24, 25
import torch
import torch.nn.functional as F

NEG_INF = float("-inf")


def start_beams(logits, keys, values, beams):
    scores, tokens = F.log_softmax(logits, dim=-1).topk(beams, dim=-1)
    batch, *rest = keys.shape

    def copies(cache):
        return cache[:, None].expand(batch, beams, *rest).reshape(batch * beams, *rest).clone()

    return scores, tokens, copies(keys), copies(values)


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    vocab = logits.size(-1)

    # prune inside each beam first, then only a short list has to be ranked per sample
    width = min(2, vocab)
    logp, tok = F.log_softmax(logits, dim=-1).topk(width, dim=-1)
    logp = logp.reshape(batch, beams, width)
    tok = tok.reshape(batch, beams, width)

    # finished: first slot is (eos, 0), the other slots are closed
    done = finished.unsqueeze(-1).expand_as(logp)
    first = torch.zeros_like(done)
    first[..., 0] = True
    logp = logp.masked_fill(done & first, 0.0).masked_fill(done & ~first, NEG_INF)
    tok = tok.masked_fill(done, eos)

    cand = (scores.unsqueeze(-1) + logp).flatten(1)
    tok = tok.flatten(1)
    best, idx = cand.topk(beams, dim=-1)
    parents = idx // width
    tokens = tok.gather(1, idx)
    done = finished.gather(1, parents) | (tokens == eos)

    rows = (torch.arange(batch, device=idx.device)[:, None] * beams + parents).flatten()
    return best, tokens, parents, done, keys[rows], values[rows]


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    beam = torch.arange(beams, device=tokens.device).expand(batch, beams)
    out = torch.zeros(steps, batch, beams, dtype=torch.long, device=tokens.device)
    for t in range(steps - 1, -1, -1):
        out[t] = tokens[t].gather(1, beam)
        if t > 0:
            beam = parents[t].long().gather(1, beam)
    return out.permute(1, 2, 0).contiguous()


def best_sequence(sequences, scores, lengths, alpha):
    penalized = scores / ((5 + lengths.double()) / 6).pow(alpha)
    value, index = penalized.max(dim=-1)
    index = index.view(-1, 1, 1).expand(-1, -1, sequences.size(-1))
    return sequences.gather(1, index).squeeze(1), value
