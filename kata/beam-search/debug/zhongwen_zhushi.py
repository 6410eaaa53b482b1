# 束搜索：先把每个样本展开成 beams 行，再一步一步地扩展、剪枝
import torch
import torch.nn.functional as F


def start_beams(logits, keys, values, beams):
    # 第一步每个样本只有一个分布，直接取前 beams 个
    对数概率 = F.log_softmax(logits, dim=-1)
    分数, 词 = 对数概率.sort(dim=-1, descending=True)
    分数, 词 = 分数[:, :beams], 词[:, :beams]
    # cache 按样本复制：样本 0 的 beams 份在前，然后是样本 1 的
    形状 = keys.shape[1:]
    keys = keys[:, None].expand(-1, beams, *形状).reshape(-1, *形状)
    形状 = values.shape[1:]
    values = values[:, None].expand(-1, beams, *形状).reshape(-1, *形状)
    return 分数, 词, keys, values


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    vocab = logits.size(-1)
    logp = F.log_softmax(logits, dim=-1).reshape(batch, beams, vocab)
    # 已结束的 beam：除 eos 外全部屏蔽，eos 不计代价
    其他词 = torch.ones(vocab, dtype=torch.bool, device=logits.device)
    其他词[eos] = False
    logp = logp.masked_fill(finished[..., None] & 其他词, float("-inf"))
    logp = logp.masked_fill(finished[..., None] & ~其他词, 0.0)
    # 在同一个样本的 beams * vocab 个候选里取前 beams 个
    候选 = (scores[..., None] + logp).reshape(batch, beams * vocab)
    排序分数, 排序下标 = torch.sort(候选, dim=-1, descending=True)
    新分数, 下标 = 排序分数[:, :beams], 排序下标[:, :beams]
    父 = torch.div(下标, vocab, rounding_mode="trunc")
    词 = torch.remainder(下标, vocab)
    # 完成标志和 cache 都跟着父节点走
    新完成 = torch.logical_or(torch.gather(finished, 1, 父), 词 == eos)
    样本 = torch.arange(batch, device=logits.device)[:, None]
    新键 = keys.reshape(batch, beams, *keys.shape[1:])[样本, 父].flatten(0, 1)
    新值 = values.reshape(batch, beams, *values.shape[1:])[样本, 父].flatten(0, 1)
    return 新分数, 词, 父, 新完成, 新键, 新值


def trace_back(tokens, parents):
    步数, batch, beams = tokens.shape
    结果 = torch.zeros_like(tokens)
    位置 = torch.arange(beams, device=tokens.device).repeat(batch, 1)
    for t in range(步数 - 1, -1, -1):
        结果[t] = tokens[t].gather(1, 位置)
        if t > 0:
            位置 = parents[t].gather(1, 位置)
    return 结果.permute(1, 2, 0)


def best_sequence(sequences, scores, lengths, alpha):
    # GNMT 的长度惩罚
    惩罚 = (5 + lengths).to(scores.dtype).pow(alpha) / 6**alpha
    最终 = scores / 惩罚
    最优 = 最终.argmax(dim=1)
    行 = torch.arange(sequences.size(0), device=sequences.device)
    return sequences[行, 最优], 最终[行, 最优]
