# attn-kata: beam-search
# beam search 教程版：先在每个 beam 内取 top-k，再在样本内合并取 top-k
import torch
import torch.nn.functional as F


def 扩展(cache, beams):
    """(B, H, L, D) -> (B*K, H, L, D)，同一样本的 K 行相邻。"""
    B = cache.shape[0]
    return cache.unsqueeze(1).expand(B, beams, *cache.shape[1:]).reshape(B * beams, *cache.shape[1:]).clone()


def 重排(cache, parents):
    B, K = parents.shape
    分组 = cache.reshape(B, K, *cache.shape[1:])
    行 = torch.arange(B, device=parents.device)[:, None]      # (B, 1)
    return 分组[行, parents].reshape(cache.shape)


def start_beams(logits, keys, values, beams):
    # 第一步：每个样本只有一行，直接取前 beams 个
    对数概率 = F.log_softmax(logits, dim=1)
    排序后, 次序 = 对数概率.sort(dim=1, descending=True)
    return 排序后[:, :beams].clone(), 次序[:, :beams].clone(), 扩展(keys, beams), 扩展(values, beams)


def beam_step(scores, logits, keys, values, finished, eos):
    B, K = scores.shape
    V = logits.shape[1]
    每个留 = min(K, V)          # 一个 beam 最多贡献 K 个后代

    对数概率 = F.log_softmax(logits, dim=1).reshape(B, K, V)
    步分, 步词 = 对数概率.topk(每个留, dim=2)                   # (B, K, k)

    # 已结束的 beam：第 0 个候选是 eos，分数 0；其余作废
    结束 = finished[:, :, None]
    第一个 = torch.arange(每个留, device=logits.device) == 0
    步分 = torch.where(结束 & 第一个, torch.zeros_like(步分), 步分)
    步分 = torch.where(结束 & ~第一个, torch.full_like(步分, float("-inf")), 步分)
    步词 = torch.where(结束, torch.full_like(步词, eos), 步词)

    总分 = (scores[:, :, None] + 步分).reshape(B, K * 每个留)
    新分, 位置 = 总分.topk(K, dim=1)
    parents = 位置 // 每个留
    tokens = 步词.reshape(B, K * 每个留).gather(1, 位置)
    新结束 = finished.gather(1, parents) | tokens.eq(eos)
    return 新分, tokens, parents, 新结束, 重排(keys, parents), 重排(values, parents)


def trace_back(tokens, parents):
    步数 = tokens.shape[0]
    序列 = tokens[0].clone().unsqueeze(-1)                            # (B, K, 1)
    for t in range(1, 步数):
        p = parents[t].long().unsqueeze(-1).expand(-1, -1, t)   # 把 parent 的历史搬过来
        序列 = torch.cat([序列.gather(1, p), tokens[t].unsqueeze(-1)], dim=-1)
    return 序列


def best_sequence(sequences, scores, lengths, alpha):
    惩罚 = ((5 + lengths.double()) / 6).pow(alpha)
    惩罚后 = scores / 惩罚
    最好 = 惩罚后.argmax(dim=1)
    b = torch.arange(scores.shape[0], device=scores.device)
    return sequences[b, 最好], 惩罚后[b, 最好]
