# 束搜索 (作业 3)
import torch
import torch.nn.functional as F


def start_beams(logits, keys, values, beams):
    logp = F.log_softmax(logits, dim=-1)
    scores, tokens = torch.topk(logp, beams)
    # 每个样本的缓存复制 beams 份
    keys = torch.stack([keys] * beams, dim=1).flatten(0, 1)
    values = torch.stack([values] * beams, dim=1).flatten(0, 1)
    return scores, tokens, keys, values


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    logp = F.log_softmax(logits, dim=-1)
    vocab = logp.shape[1]
    out = [[] for _ in range(6)]
    for b in range(batch):
        cand = logp[b * beams:(b + 1) * beams].clone()
        for k in range(beams):
            if finished[b, k]:
                cand[k] = float("-inf")   # 已结束的束只能接 eos
                cand[k, eos] = 0
        cand = cand + scores[b].unsqueeze(1)
        best, index = cand.reshape(-1).topk(beams)
        parent = index // vocab
        token = index % vocab
        out[0].append(best)
        out[1].append(token)
        out[2].append(parent)
        out[3].append(finished[b][parent] | (token == eos))
        out[4].append(keys[b * beams + parent])
        out[5].append(values[b * beams + parent])
    scores, tokens, parents, finished = (torch.stack(o) for o in out[:4])
    return scores, tokens, parents, finished, torch.cat(out[4]), torch.cat(out[5])


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    seqs = torch.zeros(batch, beams, steps, dtype=tokens.dtype, device=tokens.device)
    for b in range(batch):
        for k in range(beams):
            p = k
            for t in range(steps - 1, -1, -1):
                seqs[b, k, t] = tokens[t, b, p]
                if t > 0:
                    p = int(parents[t, b, p])
    return seqs


def length_penalty(lengths, alpha):
    return ((5 + lengths) // 6) ** alpha


def best_sequence(sequences, scores, lengths, alpha):
    final = scores / length_penalty(lengths, alpha)
    best = final.argmax(dim=-1)
    rows = torch.arange(final.shape[0], device=final.device)
    return sequences[rows, best], final[rows, best]
