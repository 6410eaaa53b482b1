import torch


def start_beams(logits, keys, values, beams):
    logp = logits - logits.logsumexp(-1, keepdim=True)
    order = logp.argsort(dim=-1, descending=True)[:, :beams]

    def spread(t):
        return t[:, None].expand(-1, beams, *t.shape[1:]).reshape(-1, *t.shape[1:])

    return logp.gather(1, order), order, spread(keys), spread(values)


def beam_step(scores, logits, keys, values, finished, eos):
    B, K = scores.shape
    V = logits.shape[1]
    logp = logits.log_softmax(-1).view(B, K, V).clone()
    only_eos = torch.full((V,), float("-inf"), dtype=logp.dtype, device=logp.device)
    only_eos[eos] = 0
    logp[finished] = only_eos
    total = (scores[:, :, None] + logp).view(B, K * V)
    new, idx = total.sort(dim=1, descending=True)
    new, idx = new[:, :K], idx[:, :K]
    par, tok = idx // V, idx % V
    done = torch.take_along_dim(finished, par, 1) | tok.eq(eos)

    def take(t):
        return torch.stack([t.view(B, K, *t.shape[1:])[b][par[b]] for b in range(B)]).flatten(0, 1)

    return new, tok, par, done, take(keys), take(values)


def trace_back(tokens, parents):
    T, B, K = tokens.shape
    out = tokens.new_empty(B, K, T)
    slot = torch.arange(K, device=tokens.device).repeat(B, 1)
    for t in range(T - 1, -1, -1):
        if t > 0:
            slot = torch.take_along_dim(parents[t].long(), slot, 1)
        out[:, :, t] = torch.take_along_dim(tokens[t], slot, 1)
    return out


def best_sequence(sequences, scores, lengths, alpha):
    norm = torch.pow((lengths.to(scores.dtype) + 5) / 6, alpha)
    value = scores / norm
    pick = value.argmax(dim=1, keepdim=True)
    seq = torch.take_along_dim(sequences, pick[:, :, None], 1).squeeze(1)
    return seq, torch.take_along_dim(value, pick, 1).squeeze(1)
