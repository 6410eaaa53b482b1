# attn-kata: beam-search
import torch


def _logp(logits):
    return logits - logits.logsumexp(dim=-1, keepdim=True)


def start_beams(logits, keys, values, beams):
    scores, tokens = _logp(logits).sort(dim=-1, descending=True)
    spread = lambda t: t.unsqueeze(1).expand(-1, beams, -1, -1, -1).flatten(0, 1).clone()
    return scores[:, :beams], tokens[:, :beams], spread(keys), spread(values)


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    lp = _logp(logits).unflatten(0, (batch, beams))
    ended = torch.full_like(lp, float("-inf"))
    ended[:, :, eos] = 0
    lp = torch.where(finished.unsqueeze(-1), ended, lp)
    total = scores.unsqueeze(-1) + lp
    top, flat = total.flatten(1).topk(beams)
    parents = flat // lp.shape[-1]
    tokens = flat - parents * lp.shape[-1]
    over = torch.gather(finished, 1, parents) | (tokens == eos)
    grid = keys.unflatten(0, (batch, beams)), values.unflatten(0, (batch, beams))
    sample = torch.arange(batch, device=parents.device).unsqueeze(1)
    k, v = (g[sample, parents].flatten(0, 1) for g in grid)
    return top, tokens, parents, over, k, v


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    rows = torch.arange(batch, device=tokens.device)[:, None]
    at = torch.arange(beams, device=tokens.device).expand(batch, beams)
    column = []
    for t in range(steps - 1, -1, -1):
        column.insert(0, tokens[t][rows, at])
        at = parents[t][rows, torch.arange(beams, device=at.device)]
    return torch.stack(column, dim=2)


def best_sequence(sequences, scores, lengths, alpha):
    fair = scores / ((5.0 + lengths) / 6.0) ** alpha
    value, index = fair.max(dim=-1)
    chosen = sequences.gather(1, index.view(-1, 1, 1).expand(-1, 1, sequences.shape[-1]))
    return chosen.squeeze(1), value.to(scores.dtype)
