"""The steps of the lesson on causal, each after its `# %%`; the last part makes the picture."""

# %% an average of the past
import torch

torch.set_printoptions(precision=2)
x = torch.tensor([[6.0], [0.0], [3.0]])
print([round(x[: t + 1].mean().item(), 1) for t in range(3)])

# %% as a triangle of ones
ones = torch.ones(3, 3).tril()
print(ones / ones.sum(dim=-1, keepdim=True) @ x)

# %% as a softmax
hidden = torch.zeros(3, 3).masked_fill(ones == 0, float("-inf"))
print(hidden)
print(hidden.softmax(dim=-1))

# %% with real scores
torch.manual_seed(2)
scores = torch.randn(4, 4)
seen = torch.ones(4, 4, dtype=torch.bool).tril()
weights = scores.masked_fill(~seen, float("-inf")).softmax(dim=-1)
print(weights)

# %% the past does not change
values = torch.randn(4, 2)
prefix = weights[:3, :3] @ values[:3]
print(torch.allclose((weights @ values)[:3], prefix))

# %% picture
picture = weights
rows = [f"query {i}" for i in range(4)]
columns = [f"key {i}" for i in range(4)]
