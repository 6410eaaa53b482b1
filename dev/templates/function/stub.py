# attn-kata: kata-name
from __future__ import annotations

import math

import torch
from torch import Tensor


def kata_name(x: Tensor) -> Tensor:
    """TO WRITE: all that the brief says of arguments and results.

    x        (batch, length, depth), any float dtype
    returns  (batch, length, depth)
    """
    raise NotImplementedError("write me")
