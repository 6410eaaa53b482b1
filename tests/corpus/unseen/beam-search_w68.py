# attn-kata: beam-search
import torch
import torch.nn.functional as F
from torch import Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    s, t = F.log_softmax(logits, dim=1).topk(beams)
    row = torch.arange(len(logits), device=logits.device).repeat_interleave(beams)
    return s, t, keys[row], values[row]


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    (B, K), V = scores.shape, logits.shape[1]
    lp = F.log_softmax(logits, dim=1).view(B, K, V)
    lp = lp.masked_fill(finished[..., None], -torch.inf)
    lp[..., eos] = lp[..., eos].masked_fill(finished, 0.0)
    s, flat = (scores[..., None] + lp).view(B, -1).topk(K)
    parents, tokens = flat // V, flat % V
    row = (torch.arange(B, device=flat.device)[:, None] * K + parents).view(-1)
    return s, tokens, parents, finished.gather(1, parents) | (tokens == eos), keys[row], values[row]


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    here = torch.arange(beams, device=tokens.device).expand(batch, beams)
    seq = []
    for step in range(steps - 1, -1, -1):
        if step:
            here = parents[step].long().gather(1, here)
        seq.append(tokens[step].gather(1, here))
    return torch.stack(seq[::-1], dim=-1)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    lp = ((5 + lengths.type_as(scores)) / 6) ** alpha
    score, i = (scores / lp).max(dim=1)
    return sequences[torch.arange(len(i), device=i.device), i], score
