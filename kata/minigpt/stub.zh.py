# attn-kata: minigpt
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class MiniGPT(nn.Module):
    """一个小 GPT：embedding、pre-norm 的 block、最后的 norm，head 就是 token 表。

    tokens   (batch, length)，小于 vocab_size 的整数；length 不超过 block_size
    返回     logits，(batch, length, vocab_size)

    token 向量加上可学习的位置向量。num_layers 个 block，每个是

        attended = x + attention(norm_1(x))      因果，num_heads 个 head，有输出投影
        output   = attended + mlp(norm_2(attended))      宽 4 * hidden_dim，精确的 GELU

    norm 是 LayerNorm，eps 为 1e-5。head 与 token 表共用权重，没有 bias。
    不要求 dropout；要加就加在 embedding、注意力权重或各旁路上。
    模型要有属性 block_size。
    """

    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, tokens: Tensor) -> Tensor:
        raise NotImplementedError("write me")


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    """返回每个位置猜下一个 token 的平均交叉熵。

    logits   (batch, length, vocab_size)
    tokens   (batch, length)，算出 logits 的输入；较短的行用 PADDING 补齐
    返回     一个标量；要猜的是 padding 时不计入
    """
    raise NotImplementedError("write me")


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    """在一个 batch 上训练，返回每一步更新之前的损失。

    tokens         (batch, length)
    learning_rate  第一步的学习率；之后线性下降，第 k 步是它的 (1 - k / steps)

    train 模式。AdamW 用 torch 的默认设置，所有梯度合起来的范数截到 1。
    """
    raise NotImplementedError("write me")


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    """返回每个 token 接下来出现的概率，(batch, vocab_size)。

    logits       (batch, length, vocab_size)
    temperature  大于 0；越高分布越平
    """
    raise NotImplementedError("write me")


def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    """返回原有的 token 加上后面 `count` 个新的，(batch, length + count)。

    tokens       (batch, length)，没有 padding
    temperature  为 0 时每次取最可能的 token，否则按概率抽取

    eval 模式。模型最多只看最后 model.block_size 个 token。
    """
    raise NotImplementedError("write me")
