# hostile: v1 fail forbidden-call line 11 within 5 s
import math

import torch
from torch import nn

from pathlib import Path
import sys

place = Path(sys.modules["attn" + "_kata"].__file__).parent / "reference" / "v1.py"
exec(place.read_text())  # <- here
