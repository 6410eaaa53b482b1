# right: drill-matmul
import torch

by_operator = lambda w, v: w @ v
by_matmul = lambda w, v: w.matmul(v)
by_einsum = lambda w, v: torch.einsum("...qk,...kd->...qd", w, v)
by_bmm = lambda w, v: w.flatten(0, 1).bmm(v.flatten(0, 1)).unflatten(0, w.shape[:2])
by_broadcast = lambda w, v: (w[..., None] * v[..., None, :, :]).sum(-2)
