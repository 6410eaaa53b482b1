import torch
import torch.nn.functional as F


def _rows(parents):
    return parents.flatten()


def _finished_row(vocab, eos, like):
    row = like.new_full((vocab,), -float("inf"))
    row[eos] = 0
    return row


def start_beams(logits, keys, values, beams):
    logprobs = F.log_softmax(logits, dim=-1)
    s, t = logprobs.topk(beams, dim=-1, largest=True, sorted=True)
    tile = lambda c: torch.stack([c] * beams, dim=1).reshape(-1, *c.shape[1:])
    return s, t, tile(keys), tile(values)


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    vocab = logits.size(-1)
    lp = F.log_softmax(logits, dim=-1).view(batch, beams, vocab)
    lp = torch.where(finished[:, :, None], _finished_row(vocab, eos, lp), lp)
    flat = (lp + scores[:, :, None]).view(batch, -1)
    scores, index = flat.topk(beams, dim=-1)
    tokens = index % vocab
    parents = index // vocab
    finished = torch.gather(finished, 1, parents) | (tokens == eos)
    rows = _rows(parents)
    return scores, tokens, parents, finished, keys[rows], values[rows]


def trace_back(tokens, parents):
    beam = torch.arange(tokens.shape[-1], device=tokens.device)[None].repeat(tokens.shape[1], 1)
    seq = [tokens[-1]]
    for t in range(len(tokens) - 1, 0, -1):
        beam = parents[t].long().gather(1, beam)
        seq.insert(0, tokens[t - 1].gather(1, beam))
    return torch.stack(seq, -1)


def best_sequence(sequences, scores, lengths, alpha):
    scores = scores / ((5 + lengths).to(scores.dtype) / 6) ** alpha
    best, idx = scores.max(1)
    return sequences.gather(1, idx.view(-1, 1, 1).expand(-1, 1, sequences.shape[2]))[:, 0], best
