from __future__ import annotations

import math
from typing import Protocol

import torch
from torch import Tensor, nn

class Cache:
    """Keys and values of every layer, of all positions so far. It is given: leave it as it is.

    Adding to it makes another cache and leaves this one as it is.
    """

    def __init__(self, layers: tuple[tuple[Tensor, Tensor], ...] = ()) -> None:
        self.layers = layers

    @property
    def length(self) -> int:
        """How many positions it holds."""
        return self.layers[0][0].shape[2] if self.layers else 0

    def extended(self, layer: int, key: Tensor, value: Tensor) -> tuple[Cache, Tensor, Tensor]:
        """Return the cache with new positions in one layer, and all keys and values of that layer.

        key and value are (batch, heads, length, head_dim), of the new positions.
        """
        if layer < len(self.layers):
            past_key, past_value = self.layers[layer]
            key = torch.cat([past_key, key], dim=2)
            value = torch.cat([past_value, value], dim=2)
        layers = (*self.layers[:layer], (key, value), *self.layers[layer + 1 :])
        return Cache(layers), key, value


class MaskFactory(Protocol):
    def create(self, newPositions: int, cachedPositions: int, device: torch.device) -> Tensor: ...


class CausalMaskFactory:
    """Produces masks in which True stands for "must not be looked at"."""

    def create(self, newPositions: int, cachedPositions: int, device: torch.device) -> Tensor:
        total = cachedPositions + newPositions
        allOnes = torch.ones(newPositions, total, dtype=torch.bool, device=device)
        return torch.triu(allOnes, diagonal=cachedPositions + 1)


class AttentionService(nn.Module):
    def __init__(self, modelWidth: int, headCount: int, layerNumber: int) -> None:
        super().__init__()
        self._headCount = headCount
        self._headWidth = modelWidth // headCount
        self._layerNumber = layerNumber
        self._maskFactory: MaskFactory = CausalMaskFactory()
        self.queryLayer = nn.Linear(modelWidth, modelWidth)
        self.keyLayer = nn.Linear(modelWidth, modelWidth)
        self.valueLayer = nn.Linear(modelWidth, modelWidth)
        self.outputLayer = nn.Linear(modelWidth, modelWidth)

    def _splitIntoHeads(self, features: Tensor) -> Tensor:
        batchSize, length, _ = features.shape
        return features.view(batchSize, length, self._headCount, self._headWidth).transpose(1, 2)

    def forward(self, features: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        batchSize, newPositions, modelWidth = features.shape
        query = self._splitIntoHeads(self.queryLayer(features))
        newKey = self._splitIntoHeads(self.keyLayer(features))
        newValue = self._splitIntoHeads(self.valueLayer(features))

        cachedPositions = cache.length
        cache, key, value = cache.extended(self._layerNumber, newKey, newValue)

        mask = self._maskFactory.create(newPositions, cachedPositions, features.device)
        mask = mask[:, : key.shape[2]]
        scores = torch.matmul(query, key.transpose(2, 3)) / math.sqrt(self._headWidth)
        scores = scores.masked_fill(mask, float("-inf"))
        context = torch.matmul(torch.softmax(scores, dim=3), value)
        merged = context.transpose(1, 2).reshape(batchSize, newPositions, modelWidth)
        return self.outputLayer(merged), cache


class FeedForwardService(nn.Module):
    def __init__(self, modelWidth: int) -> None:
        super().__init__()
        self.expansion = nn.Linear(modelWidth, 4 * modelWidth)
        self.activation = nn.GELU()
        self.contraction = nn.Linear(4 * modelWidth, modelWidth)

    def forward(self, features: Tensor) -> Tensor:
        return self.contraction(self.activation(self.expansion(features)))


class TransformerBlock(nn.Module):
    def __init__(self, modelWidth: int, headCount: int, layerNumber: int) -> None:
        super().__init__()
        self.attentionNorm = nn.LayerNorm(modelWidth, eps=1e-5)
        self.attentionService = AttentionService(modelWidth, headCount, layerNumber)
        self.feedForwardNorm = nn.LayerNorm(modelWidth, eps=1e-5)
        self.feedForwardService = FeedForwardService(modelWidth)

    def forward(self, stream: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        attentionOutput, cache = self.attentionService(self.attentionNorm(stream), cache)
        stream = stream + attentionOutput
        stream = stream + self.feedForwardService(self.feedForwardNorm(stream))
        return stream, cache


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.tokenTable = nn.Embedding(vocab_size, hidden_dim)
        self.positionTable = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(
            [TransformerBlock(hidden_dim, num_heads, number) for number in range(num_layers)]
        )
        self.finalNorm = nn.LayerNorm(hidden_dim, eps=1e-5)
        nn.init.normal_(self.tokenTable.weight, std=0.02)
        nn.init.normal_(self.positionTable.weight, std=0.02)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        if cache is None:
            cache = Cache()
        firstPosition = cache.length
        positions = torch.arange(tokens.shape[1], device=tokens.device) + firstPosition
        stream = self.tokenTable(tokens) + self.positionTable(positions)
        for block in self.blocks:
            stream, cache = block(stream, cache)
        logits = torch.matmul(self.finalNorm(stream), self.tokenTable.weight.transpose(0, 1))
        return logits, cache


class GreedyTextGenerator:
    def __init__(self, model: nn.Module) -> None:
        self._model = model

    @torch.no_grad()
    def generate(self, prompt: Tensor, count: int) -> Tensor:
        self._model.eval()
        text, pending, cache = prompt, prompt, None
        for _ in range(count):
            logits, cache = self._model(pending, cache)
            pending = logits[:, -1, :].argmax(dim=1).unsqueeze(1)
            text = torch.cat([text, pending], dim=1)
        return text


def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    return GreedyTextGenerator(model).generate(tokens, count)
