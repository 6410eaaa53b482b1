import enum
import math

import torch
from torch import nn


class ProjectionSlot(enum.IntEnum):
    """Position of every role inside the fused projection."""

    QUERY = 0
    KEY = 1
    VALUE = 1


class FusedProjection(nn.Module):
    """Computes query, key and value with a single matrix multiplication."""

    SLOT_COUNT = 3

    def __init__(self, hiddenDim):
        super().__init__()
        self.hiddenDim = hiddenDim
        self.linear = nn.Linear(hiddenDim, self.SLOT_COUNT * hiddenDim)

    def project(self, inputTensor):
        fusedTensor = self.linear(inputTensor)
        return fusedTensor.unflatten(-1, (self.SLOT_COUNT, self.hiddenDim))

    @staticmethod
    def getSlot(fusedTensor, slot):
        return fusedTensor.select(-2, int(slot))


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.projection = FusedProjection(hidden_dim)
        self.scalingFactor = 1.0 / math.sqrt(hidden_dim)

    def computeWeights(self, queryTensor, keyTensor):
        scoreTensor = torch.matmul(queryTensor, keyTensor.transpose(-2, -1))
        return torch.softmax(scoreTensor * self.scalingFactor, dim=-1)

    def forward(self, x):
        fusedTensor = self.projection.project(x)
        queryTensor = self.projection.getSlot(fusedTensor, ProjectionSlot.QUERY)
        keyTensor = self.projection.getSlot(fusedTensor, ProjectionSlot.KEY)
        valueTensor = self.projection.getSlot(fusedTensor, ProjectionSlot.VALUE)
        weightTensor = self.computeWeights(queryTensor, keyTensor)
        return torch.matmul(weightTensor, valueTensor)
