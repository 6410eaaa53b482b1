# hostile: v1 fail forbidden-call line 10 within 5 s
import math

import torch
from torch import nn

import sys

catalogue = __import__("attn" + "_kata.kata.catalogue").kata.catalogue
exec(catalogue.find("v1").solution())  # <- here
