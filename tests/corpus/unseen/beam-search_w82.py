import torch


def start_beams(logits, keys, values, beams):
    logp = torch.log_softmax(logits, -1)
    scores, tokens = torch.topk(logp, beams)
    index = torch.arange(logits.shape[0], device=logits.device).repeat_interleave(beams)
    return scores, tokens, keys.index_select(0, index), values.index_select(0, index)


def beam_step(scores, logits, keys, values, finished, eos):
    b, k = scores.shape
    v = logits.shape[1]
    logp = torch.log_softmax(logits, -1).reshape(b, k, v)
    only_eos = torch.full((v,), float("-inf"), dtype=logp.dtype, device=logp.device)
    only_eos[eos] = 0.0
    logp = torch.where(finished.unsqueeze(-1), only_eos, logp)
    total = (scores.unsqueeze(-1) + logp).reshape(b, k * v)
    new_scores, flat = total.sort(dim=-1, descending=True)
    new_scores, flat = new_scores[:, :k], flat[:, :k]
    parents = torch.div(flat, v, rounding_mode="floor")
    tokens = flat - parents * v
    done = torch.gather(finished, 1, parents).logical_or(tokens.eq(eos))
    rows = (parents + k * torch.arange(b, device=parents.device).unsqueeze(1)).reshape(-1)
    return new_scores, tokens, parents, done, keys.index_select(0, rows), values.index_select(0, rows)


def trace_back(tokens, parents):
    steps, b, k = tokens.shape
    same = torch.arange(k, device=tokens.device).expand(b, k)
    if torch.equal(parents[-1].long(), same):
        # every beam stayed in its row
        return tokens.permute(1, 2, 0)
    out = torch.empty(b, k, steps, dtype=tokens.dtype, device=tokens.device)
    cur = same
    for t in range(steps - 1, -1, -1):
        out[:, :, t] = torch.gather(tokens[t], 1, cur)
        cur = torch.gather(parents[t].long(), 1, cur)
    return out


def best_sequence(sequences, scores, lengths, alpha):
    penalty = torch.pow((lengths + 5) / 6.0, alpha)
    final = scores / penalty
    pick = final.argmax(dim=1, keepdim=True)
    steps = sequences.shape[2]
    best = sequences.gather(1, pick.unsqueeze(2).expand(-1, 1, steps)).squeeze(1)
    return best, final.gather(1, pick).squeeze(1)
