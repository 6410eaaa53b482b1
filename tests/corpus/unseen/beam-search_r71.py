import torch
from torch import Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    lp = logits - torch.logsumexp(logits, -1, keepdim=True)
    s, t = lp.sort(dim=-1, descending=True)
    rep = lambda c: c.unsqueeze(1).expand(-1, beams, *c.shape[1:]).flatten(0, 1).clone()
    return s[:, :beams], t[:, :beams], rep(keys), rep(values)


def beam_step(scores, logits, keys, values, finished, eos):
    """candidates sample by sample, in plain lists"""
    B, W = scores.shape
    lp = logits.log_softmax(-1).unflatten(0, (B, W))
    out = {n: [] for n in ("s", "t", "p", "f", "row")}
    for b in range(B):
        cand = []
        for k in range(W):
            if finished[b, k]:
                cand.append((scores[b, k].item(), eos, k, True))
                continue
            top = torch.topk(lp[b, k], min(W, lp.shape[-1]))
            for v, tok in zip(top.values, top.indices.tolist()):
                cand.append(((scores[b, k] + v).item(), tok, k, tok == eos))
        cand = sorted(cand, key=lambda c: -c[0])[:W]
        for name, col in zip("stpf", zip(*cand)):
            out[name].append(col)
        out["row"].extend(b * W + c[2] for c in cand)
    dev = scores.device
    row = torch.tensor(out["row"], device=dev)
    return (torch.tensor(out["s"], dtype=scores.dtype, device=dev), torch.tensor(out["t"], device=dev),
            torch.tensor(out["p"], device=dev), torch.tensor(out["f"], device=dev),
            keys.index_select(0, row), values.index_select(0, row))


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    at = torch.arange(beams, device=tokens.device).repeat(batch, 1)
    rev = []
    for i in reversed(range(steps)):
        rev.append(torch.take_along_dim(tokens[i], at, 1))
        if i:
            at = torch.take_along_dim(parents[i].long(), at, 1)
    return torch.stack(rev[::-1], -1)


def best_sequence(sequences, scores, lengths, alpha):
    pen = scores * ((5.0 + lengths.to(scores.dtype)) / 6.0).pow(-alpha)
    top, at = pen.max(dim=1)
    return torch.stack([s[i] for s, i in zip(sequences, at.tolist())]), top
