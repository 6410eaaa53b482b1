from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Running:
    top: Tensor
    mass: Tensor
    mix: Tensor

    @classmethod
    def fresh(cls, like: Tensor) -> "Running":
        column = torch.zeros_like(like[..., :1])
        return cls(top=column, mass=column.clone(), mix=torch.zeros_like(like))

    def absorb(self, scores: Tensor, values: Tensor) -> None:
        top = torch.maximum(self.top, scores.amax(-1, keepdim=True))
        decay = torch.exp(self.top - top)
        share = torch.exp(scores - top)
        self.mass = self.mass * decay + share.sum(-1, keepdim=True)
        self.mix = self.mix * decay + share @ values
        self.top = top


def flash_attention(query, key, value, block_size, causal=False):
    work = torch.promote_types(query.dtype, torch.float32)
    q = query.to(work) * query.shape[-1] ** -0.5
    state = Running.fresh(q)
    places = torch.arange(query.shape[2], device=query.device)
    for ks, vs, at in zip(key.split(block_size, 2), value.split(block_size, 2), places.split(block_size)):
        scores = q @ ks.to(work).mT
        if causal:
            scores = scores.masked_fill(at[None, :] > places[:, None], float("-inf"))
        state.absorb(scores, vs.to(work))
    return (state.mix / state.mass).to(query.dtype)
