# wrong: beam-search beams-apart line 25
# fair: beams-apart 26, 27
import torch
import torch.nn.functional as F


def start_beams(logits, keys, values, beam_width):
    nll = torch.stack(
        [F.cross_entropy(logits, torch.full_like(logits[:, 0], t, dtype=torch.long), reduction="none")
         for t in range(logits.shape[1])],
        dim=1,
    )
    cost, token = nll.topk(beam_width, largest=False)
    cat = lambda cache: torch.cat([row.expand(beam_width, -1, -1, -1) for row in cache.split(1)])
    return -cost, token, cat(keys), cat(values)


def beam_step(running, logits, k_cache, v_cache, done, eos_id):
    B, W = running.shape
    V = logits.shape[-1]
    nll = -F.log_softmax(logits, -1).view(B, W, V)
    nll = torch.where(done[:, :, None], float("inf"), nll)
    nll[:, :, eos_id] = torch.where(done, 0.0, nll[:, :, eos_id])
    cost = nll - running[:, :, None]
    own, token = cost.min(dim=2)
    parent = own.argsort(dim=1)
    score = -own.gather(1, parent)
    token = token.gather(1, parent)
    flat = torch.arange(B * W, device=parent.device).view(B, W).gather(1, parent).reshape(-1)
    return score, token, parent, done.reshape(-1)[flat].view(B, W) | (token == eos_id), k_cache[flat], v_cache[flat]


def trace_back(step_tokens, back_pointers):
    S, B, W = step_tokens.shape
    # Which beam of each step a last beam goes through, worked out first.
    path = [torch.arange(W, device=step_tokens.device).repeat(B, 1)]
    for pointers in reversed(back_pointers[1:]):
        path.append(pointers.gather(1, path[-1]))
    path = torch.stack(path[::-1])
    return step_tokens.gather(2, path).movedim(0, -1)


def best_sequence(hyps, scores, lens, alpha):
    ranking = (scores / ((5 + lens) / 6) ** alpha).argsort(dim=1, descending=True)
    best = ranking[:, 0]
    pick = torch.arange(hyps.shape[0], device=hyps.device)
    return hyps[pick, best], scores[pick, best] / ((5 + lens[pick, best]) / 6) ** alpha
