# attn-kata: sampling
from __future__ import annotations

import torch
from torch import Tensor

# 大模型服务里，从模型的 logits 到下一个 token 之间要做的事。`logits` 是 (batch, vocab)，每个序列
# 一行，同一行里没有两个相等的 logit。传进来的张量不能改动。


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    """重复惩罚：让序列里已经出现过的 token 更不容易再出现。

    logits   (batch, vocab)，任何浮点 dtype
    tokens   (batch, length)，0 到 vocab - 1 的整数：每个序列目前已有的 token
    penalty  大于等于 1
    返回     (batch, vocab)：出现过的 token，logit 为正就除以 penalty，为负就乘 penalty；不管出现
             几次，都只罚一次
    """
    raise NotImplementedError("write me")


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    """每一行只保留最大的 k 个 logit。

    k        1 到 vocab
    返回     (batch, vocab)：保留的 logit 不变，其余 token 处为 -inf
    """
    raise NotImplementedError("write me")


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    """保留 nucleus：从概率最大的 token 取起，概率之和达到 p（大于等于 p）所需的最少几个。

    p        大于 0，小于等于 1
    返回     (batch, vocab)：nucleus 里的 logit 不变，其余为 -inf。使总和达到 p 的那个 token 也在
             里面，所以至少留下一个
    """
    raise NotImplementedError("write me")


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    """保留概率不低于本行最大概率 p 倍的 token。

    p        0 到 1
    返回     (batch, vocab)：保留的 logit 不变，其余 token 处为 -inf
    """
    raise NotImplementedError("write me")


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    """下一个 token 从哪个分布里抽：上面的全部，再加温度。

    次序：重复惩罚、温度（logits 除以它）、top-k、top-p、min-p；每个过滤都在前一个的结果上做。
    top_k = 0 表示全部保留，其他参数取默认值时不起作用。

    temperature  大于 0
    返回         (batch, vocab)：概率，被过滤掉的 token 为 0；每行之和为 1
    """
    raise NotImplementedError("write me")


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    """用累积和的反函数，给每一行抽一个 token。

    probs    (batch, vocab)；每行之和为 1
    uniform  (batch,)，0 到 1（不含 1）之间的数，每行一个
    返回     (batch,)，整数：按词表编号从小到大累加本行的概率，总和第一次大于本行那个数时的 token
    """
    raise NotImplementedError("write me")
