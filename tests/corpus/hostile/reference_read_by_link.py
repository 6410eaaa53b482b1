# hostile: v1 fail forbidden-call line 12 within 5 s
import math

import torch
from torch import nn

import os
import sys

place = os.path.dirname(sys.modules["attn" + "_kata"].__file__)
os.symlink(place + "/reference", "elsewhere")
exec(open("elsewhere/v1.py").read())  # <- here
