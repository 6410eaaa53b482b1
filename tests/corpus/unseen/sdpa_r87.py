"""xformers' _ref_attention, with an AttentionBias class hierarchy on the side."""
import torch


class AttentionBias:
    def materialize(self, shape, dtype, device):
        raise NotImplementedError


class LowerTriangularFromBottomRight(AttentionBias):
    def materialize(self, shape, dtype, device):
        m, n = shape[-2:]
        tensor = torch.full((m, n), float("-inf"), dtype=dtype, device=device)
        return torch.triu(tensor, diagonal=n - m + 1)


class Given(AttentionBias):
    def __init__(self, mask):
        self.mask = mask

    def materialize(self, shape, dtype, device):
        zero = torch.zeros(self.mask.shape, dtype=dtype, device=device)
        return zero.masked_fill(self.mask.to(device) == 0, float("-inf"))


def attention(query, key, value, mask=None, causal=False):
    scale = query.shape[-1] ** -0.25          # half of the scale on each side, kinder to fp16
    attn = (query * scale) @ (key * scale).transpose(-2, -1)
    biases = []
    if causal:
        biases.append(LowerTriangularFromBottomRight())
    if mask is not None:
        biases.append(Given(mask))
    for attn_bias in biases:
        attn = attn + attn_bias.materialize(attn.shape, attn.dtype, attn.device)
    attn = attn.softmax(-1)
    return attn @ value
