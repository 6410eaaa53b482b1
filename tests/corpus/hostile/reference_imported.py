# hostile: v1 fail forbidden-call line 7 within 5 s
import math

import torch
from torch import nn

from attn_kata.reference.v1 import SelfAttentionV1  # <- here
