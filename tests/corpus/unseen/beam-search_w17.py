# attn-kata: beam-search
# 面试白板版本，逐步注释
import torch
from torch import Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    logp = logits - torch.logsumexp(logits, dim=-1, keepdim=True)
    scores, tokens = logp.topk(beams, dim=-1)
    # [k0, k0, ..., k1, k1, ...]：样本优先
    return scores, tokens, keys.repeat_interleave(beams, 0), values.repeat_interleave(beams, 0)


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    batch, beams = scores.shape
    vocab = logits.shape[-1]
    logp = (logits - torch.logsumexp(logits, dim=-1, keepdim=True)).reshape(batch, beams, vocab)
    cand = scores.unsqueeze(-1) + logp
    # 已结束：除 eos 外都不可选，eos 的候选就是原分数
    cand = cand.masked_fill(finished.unsqueeze(-1), float("-inf"))
    cand[:, :, eos] = torch.where(finished, scores, cand[:, :, eos])
    scores, place = cand.reshape(batch, beams * vocab).topk(beams, dim=-1)
    parents = torch.div(place, vocab, rounding_mode="floor")
    tokens = place - vocab * parents
    finished = torch.gather(finished, 1, parents) | (tokens == eos)
    # 第 b 个样本的行从 b * beams 开始
    rows = (parents + beams * torch.arange(batch, device=place.device).reshape(-1, 1)).reshape(-1)
    return scores, tokens, parents, finished, keys[rows], values[rows]


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = parents.shape
    sequences = parents.new_empty(batch, beams, steps)
    # 从最后一步往回走
    cur = torch.arange(beams, device=tokens.device).expand(batch, beams)
    for s in range(steps - 1, -1, -1):
        sequences[:, :, s] = torch.gather(tokens[s], 1, cur)
        if s > 0:
            cur = torch.gather(parents[s].long(), 1, cur)
    return sequences


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    # GNMT 的长度惩罚
    lp = torch.pow((5.0 + lengths.double()) / 6.0, alpha)
    best, i = torch.max(scores / lp, dim=-1)
    rows = torch.arange(scores.shape[0], device=scores.device)
    return sequences[rows, i], best
