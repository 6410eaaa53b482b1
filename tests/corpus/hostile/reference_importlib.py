# hostile: v1 fail forbidden-call line 9 within 5 s
import math

import torch
from torch import nn

import importlib

module = importlib.import_module(".".join(["attn" + "_kata", "reference", "v1"]))  # <- here
SelfAttentionV1 = type("SelfAttentionV1", (module.SelfAttentionV1,), {"__module__": "submission"})
