# one sample at a time, vmap puts the batch around it
import torch
from torch.func import vmap


def fan_out(t, beams):
    return t.unsqueeze(1).expand(-1, beams, *[-1] * (t.dim() - 1)).flatten(0, 1)


def start_beams(logits, keys, values, beams):
    scores, tokens = vmap(lambda row: torch.topk(torch.log_softmax(row, 0), beams))(logits)
    return scores, tokens, fan_out(keys, beams), fan_out(values, beams)


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    is_eos = torch.arange(logits.size(-1), device=logits.device) == eos

    def sample(score, row, k, v, done):
        cost = torch.log_softmax(row, -1)
        # forced: a finished beam hands its score on to eos, and to nothing else
        forced = torch.where(is_eos, score.unsqueeze(-1), float("-inf"))
        total = torch.where(done.unsqueeze(-1), forced, score.unsqueeze(-1) + cost)
        top, flat = total.flatten().topk(beams)
        parent, token = flat // total.size(-1), flat % total.size(-1)
        return top, token, parent, done[parent] | (token == eos), k[parent], v[parent]

    cut = lambda t: t.unflatten(0, (batch, beams))
    *first, k, v = vmap(sample)(scores, cut(logits), cut(keys), cut(values), finished)
    return *first, k.flatten(0, 1), v.flatten(0, 1)


def trace_back(tokens, parents):
    def walk(tok, par):
        # tok, par: (steps, beams)
        place = torch.arange(tok.size(1), device=tok.device)
        seen = [tok[-1]]
        for step in reversed(range(1, tok.size(0))):
            place = par[step].long()[place]
            seen.append(tok[step - 1][place])
        return torch.stack(seen[::-1], dim=-1)

    return vmap(walk, in_dims=1)(tokens, parents)


def best_sequence(sequences, scores, lengths, alpha):
    penalized = scores / ((5 + lengths) / 6).to(scores.dtype) ** alpha
    value, index = penalized.max(dim=-1)
    return torch.take_along_dim(sequences, index[:, None, None], dim=1).squeeze(1), value
