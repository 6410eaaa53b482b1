import torch, torch.nn as nn
import torch.nn.functional as F


# JAX-ish: parameters live in one dict, the maths in pure functions
def init_linear(n_in, n_out):
    w = torch.empty(n_in, n_out)
    nn.init.xavier_uniform_(w)
    return nn.Parameter(w)


def _attend(params, xs):
    proj = {k: torch.einsum("...td,de->...te", xs, w) for k, w in params.items()}
    D = xs.size(-1)
    logits = torch.einsum("bie,bje->bij", proj["q"] * D ** -0.25, proj["k"] * D ** -0.25)
    # 减去每行最大值，数值稳定
    z = logits - logits.amax(-1, keepdim=True)
    e = z.exp()
    return torch.einsum("bij,bje->bie", e, proj["v"]) / e.sum(-1)[..., None]


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.params = nn.ParameterDict({n: init_linear(hidden_dim, hidden_dim) for n in "qkv"})

    def forward(self, x):
        return _attend(self.params, x)
