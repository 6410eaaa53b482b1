import torch
import torch.nn as nn


class SelfAttentionV1(nn.Sequential):
    """Linear -> attend -> done, as a Sequential with a step that has no weights.

    Weights come into being with the first batch; hidden_dim says how wide they will be.
    """

    class Attend(nn.Module):
        def forward(self, triple: torch.Tensor) -> torch.Tensor:
            query, key, value = triple.tensor_split(3, dim=-1)
            logits = torch.einsum("nid,njd->nij", query, key) * query.size(-1) ** -0.5
            return torch.einsum("nij,njd->nid", logits.softmax(dim=2), value)

    def __init__(self, hidden_dim: int) -> None:
        super().__init__(nn.LazyLinear(3 * hidden_dim), self.Attend())
