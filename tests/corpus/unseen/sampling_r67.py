# 大模型服务器的采样器，全部用排序一次完成
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

负无穷 = float("-inf")


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    出现 = F.one_hot(tokens.long(), logits.size(-1)).amax(dim=1).bool()
    变小 = torch.minimum(logits / penalty, logits * penalty)  # 正数除，负数乘
    return torch.where(出现, 变小, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    名次 = logits.argsort(dim=-1, descending=True).argsort(dim=-1)
    return logits.masked_fill(名次 >= k, 负无穷)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    概率 = logits.softmax(dim=-1)
    排好, 次序 = 概率.sort(dim=-1, descending=True)
    之前 = 排好.cumsum(dim=-1) - 排好
    保留 = 之前 < p
    保留[..., 0] = True
    return logits.masked_fill(~保留.gather(-1, 次序.argsort(dim=-1)), 负无穷)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    概率 = logits.softmax(dim=-1)
    return logits.masked_fill(概率 < p * 概率.max(dim=-1, keepdim=True).values, 负无穷)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    步骤 = [
        (penalty != 1.0, lambda z: penalize(z, tokens, penalty)),
        (temperature != 1.0, lambda z: z / temperature),
        (top_k > 0, lambda z: keep_top_k(z, top_k)),
        (top_p < 1.0, lambda z: keep_top_p(z, top_p)),
        (min_p > 0.0, lambda z: keep_min_p(z, min_p)),
    ]
    for 要做, 函数 in 步骤:
        if 要做:
            logits = 函数(logits)
    return logits.softmax(dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    累计 = probs.cumsum(dim=-1)
    序号 = (累计 <= uniform.unsqueeze(-1)).sum(dim=-1)
    # 舍入可能使总和略小于 1：退到最后一个概率不为 0 的词
    末 = probs.size(-1) - 1 - (probs > 0).flip(-1).int().argmax(dim=-1)
    return torch.minimum(序号, 末)
