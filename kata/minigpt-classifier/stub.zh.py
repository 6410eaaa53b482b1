# attn-kata: minigpt-classifier
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Block(nn.Module):
    """带 mask 的自注意力和 MLP。这个类是给定的，保持原样。"""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.attention_norm = nn.LayerNorm(hidden_dim)
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)
        self.mlp_norm = nn.LayerNorm(hidden_dim)
        self.up_proj = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.down_proj = nn.Linear(4 * hidden_dim, hidden_dim)

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        batch, length, hidden_dim = x.shape
        attention_input = self.attention_norm(x)
        queries = self.query_proj(attention_input)
        keys = self.key_proj(attention_input)
        values = self.value_proj(attention_input)
        split = (batch, length, self.num_heads, self.head_dim)
        query = queries.view(split).transpose(1, 2)
        key = keys.view(split).transpose(1, 2)
        value = values.view(split).transpose(1, 2)
        products = query @ key.mT
        scores = products / math.sqrt(self.head_dim)
        # 文本前面的 padding 什么都看不到：填 -inf 的话，它的 softmax 会是 NaN。
        lowest = torch.finfo(scores.dtype).min
        masked_scores = scores.masked_fill(seen == 0, lowest)
        weights = masked_scores.softmax(dim=-1)
        context = weights @ value
        by_position = context.transpose(1, 2)
        merged = by_position.reshape(batch, length, hidden_dim)
        attention_output = self.output_proj(merged)
        attended = x + attention_output
        mlp_input = self.mlp_norm(attended)
        expanded = self.up_proj(mlp_input)
        activated = F.gelu(expanded)
        mlp_output = self.down_proj(activated)
        block_output = attended + mlp_output
        return block_output


class GPT(nn.Module):
    """GPT 的主体。这个类是给定的，保持原样。

    tokens   (batch, length)
    places   (batch, length)，每个 token 用位置表的第几行；None 表示从 0 数起
    allowed  query 可以看 key 的地方为 1/True，None 表示处处可看；形状能 broadcast 到
             (batch, heads, length, length) 就行。后面的内容无论如何都看不到
    返回     交给 head 的向量，已经过最后的 norm，(batch, length, hidden_dim)
    """

    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, hidden_dim)
        self.position_embedding = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(Block(hidden_dim, num_heads) for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_dim)

    def forward(
        self, tokens: Tensor, places: Tensor | None = None, allowed: Tensor | None = None
    ) -> Tensor:
        length = tokens.shape[1]
        rows = torch.arange(length, device=tokens.device) if places is None else places
        token_vectors = self.token_embedding(tokens)
        position_vectors = self.position_embedding(rows)
        embedded = token_vectors + position_vectors
        square = torch.ones(length, length, device=tokens.device)
        past = square.tril()
        seen = past if allowed is None else past * allowed
        stream = embedded
        for block in self.blocks:
            stream = block(stream, seen)
        final = self.final_norm(stream)
        return final


class GPTClassifier(nn.Module):
    """文本的类别 logits：对 GPT 在真实 token 上的输出取平均，再接一个 head。

    tokens   (batch, length)；length 最多 block_size
    mask     (batch, length)，整数、浮点或布尔：真实 token 处为 1/True，padding 处为 0/False；
             每段文本至少有一个真实 token
    返回     logits，(batch, num_classes)

    padding 可能在文本后面、前面或中间，都不影响结果：真实 token 不看它，平均不算它，位置只数真实
    token，从 0 开始。head 是平均之后的一个带 bias 的线性层。
    """

    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        num_classes: int,
    ) -> None:  # fmt: skip
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        raise NotImplementedError("write me")
