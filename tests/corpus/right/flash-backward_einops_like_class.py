# right: flash-backward
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Saved:
    q: Tensor
    k: Tensor
    v: Tensor
    delta: Tensor
    lse: Tensor
    grad: Tensor
    causal: bool

    def tile(self, begin: int, end: int):
        scale = self.q.shape[-1] ** -0.5
        k, v = self.k[..., begin:end, :], self.v[..., begin:end, :]
        scores = torch.einsum("...qd,...kd->...qk", self.q, k).mul(scale)
        probs = scores.sub(self.lse).exp()
        if self.causal:
            steps = torch.arange(self.q.shape[-2], device=self.q.device)
            probs = torch.where(steps[begin:end][None, :] > steps[:, None], torch.zeros_like(probs), probs)
        dprobs = torch.einsum("...qv,...kv->...qk", self.grad, v)
        dscores = (dprobs - self.delta).mul(probs).mul(scale)
        return (
            torch.einsum("...qk,...kd->...qd", dscores, k),
            torch.einsum("...qk,...qd->...kd", dscores, self.q),
            torch.einsum("...qk,...qv->...kv", probs, self.grad),
        )


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    saved = Saved(query, key, value, (grad_output * output).sum(-1, True), lse[..., None], grad_output, causal)
    n = query.shape[-2]
    parts = [saved.tile(b, min(b + block_size, n)) for b in range(0, n, block_size)]
    return (
        sum(part[0] for part in parts),
        torch.cat([part[1] for part in parts], -2),
        torch.cat([part[2] for part in parts], -2),
    )
