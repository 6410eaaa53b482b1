# attn-kata: beam-search
# 带 KV cache 的 beam search，面试写法
import torch
from torch import Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    probs = torch.softmax(logits, dim=-1)            # (B, V)
    top_probs, tokens = torch.topk(probs, beams, dim=-1)
    scores = torch.log(top_probs)
    # 同一个样本的 beam 相邻
    keys = torch.repeat_interleave(keys, beams, dim=0)
    values = torch.repeat_interleave(values, beams, dim=0)
    return scores, tokens, keys, values


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    B, K = scores.shape
    V = logits.shape[-1]
    logp = torch.log_softmax(logits, dim=-1).reshape(B, K, V)
    # 已结束的 beam 只留 eos，代价 0
    mask = torch.full_like(logp, float("-inf"))
    mask[:, :, eos] = 0.0
    logp = torch.where(finished[:, :, None], mask, logp)
    cand = (scores[:, :, None] + logp).reshape(B, -1)
    new_scores, flat = torch.topk(cand, K, dim=-1)
    parents, tokens = flat // V, flat % V
    new_finished = torch.gather(finished, 1, parents) | (tokens == eos)
    # 样本内编号 -> 模型 batch 里的行号
    rows = (torch.arange(B, device=logits.device)[:, None] * K + parents).reshape(-1)
    return new_scores, tokens, parents, new_finished, keys.index_select(0, rows), values.index_select(0, rows)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, B, K = tokens.shape
    cur = torch.arange(K, device=tokens.device).expand(B, K)
    seq = []
    for t in range(steps - 1, 0, -1):
        seq.append(torch.gather(tokens[t], 1, cur))
        cur = torch.gather(parents[t].long(), 1, cur)
    seq.append(torch.gather(tokens[0], 1, cur))
    return torch.stack(seq, dim=-1).flip(-1)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalty = ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    best_score, best = torch.max(scores / penalty, dim=-1)
    seq = torch.stack([sequences[b, best[b]] for b in range(sequences.shape[0])])
    return seq, best_score
