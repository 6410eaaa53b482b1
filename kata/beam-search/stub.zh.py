# attn-kata: beam-search
from __future__ import annotations

import torch
from torch import Tensor

# 模型带 KV cache 时的 beam search；外面的循环见题目说明。模型不知道什么是 beam：样本 b 的第 k 个
# beam，就是模型输入输出里的第 b * beams + k 行。没有两个相等的分数或 logit。传进来的张量不能改动。


def start_beams(
    logits: Tensor, keys: Tensor, values: Tensor, beams: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """从模型对 prompt 的输出得到起始的 beam；这时每个样本只有一行。

    logits        (batch, vocab)，prompt 最后一个位置的
    keys, values  (batch, heads, cache_length, head_dim)，prompt 的 cache
    beams         1 到 vocab
    返回          四个张量：scores 是每个样本概率最大的那些 token 的对数概率，tokens 是这些 token，
                  都是 (batch, beams)，从大到小；keys 和 values 里每个 beam 都有所属样本的那一行，
                  (batch * beams, heads, cache_length, head_dim)
    """
    raise NotImplementedError("write me")


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """所有 beam 各往前走一个 token。

    一个候选就是一个 beam 加一个 token，分数是 beam 的分数加上 token 的对数概率。已结束的 beam 只有
    一个候选，就是 eos，不花代价。每个样本在自己所有 beam 的候选里，留下最好的 `beams` 个。

    scores        (batch, beams)，每个 beam 目前的分数，不一定有序
    logits        (batch * beams, vocab)，每个 beam 下一个 token 的
    keys, values  (batch * beams, heads, cache_length, head_dim)，每个 beam 的 cache
    finished      (batch, beams)，beam 已经有过 eos 则为 True
    eos           结束 token 的编号
    返回          六个张量：新 beam 的 scores、tokens、parents、finished，都是 (batch, beams)，分数
                  从高到低；再是它们的 keys 和 values，形状不变。parent 是新 beam 从哪个 beam 来的，
                  0 到 beams - 1；新 beam 接手 parent 的 cache
    """
    raise NotImplementedError("write me")


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    """根据每一步的记录，还原最后一步各个 beam 的序列。

    tokens   (steps, batch, beams)，整数：每一步里每个 beam 取的 token
    parents  (steps, batch, beams)，0 到 beams - 1 的整数：它来自上一步的哪个 beam。第一步之前没有
             别的步，parents[0] 没有意义
    返回     (batch, beams, steps)：最后一步的每个 beam 的全部 token，第一个在最前面
    """
    raise NotImplementedError("write me")


def best_sequence(
    sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float
) -> tuple[Tensor, Tensor]:
    """给每个样本选出最好的序列，也就是惩罚后分数最高的那条。

    惩罚后的分数是 score / ((5 + length) / 6) ** alpha。

    sequences  (batch, beams, steps)，整数
    scores     (batch, beams)
    lengths    (batch, beams)，1 到 steps 的整数：每条有几个 token
    alpha      大于等于 0
    返回       (batch, steps)，选出的那条，完整返回；还有 (batch,)，它惩罚后的分数
    """
    raise NotImplementedError("write me")
