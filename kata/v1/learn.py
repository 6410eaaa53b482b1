"""The steps of the lesson on v1, each after its `# %%`; the last part makes the picture."""

# %% an average
import torch

torch.set_printoptions(precision=2, sci_mode=False)
x = torch.tensor([[2.0, 0.0], [0.0, 2.0], [4.0, 4.0]])
even = torch.ones(3, 3) / 3
print(even @ x)

# %% weights from scores
scores = torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.0, 2.0], [1.0, 1.0, 1.0]])
weights = scores.exp() / scores.exp().sum(dim=-1, keepdim=True)
print(weights)
print(weights @ x)

# %% scores from the vectors themselves
scores = x @ x.T
print(scores)

# %% three roles, and the scale
torch.manual_seed(0)
w_query, w_key, w_value = torch.randn(3, 2, 2)
query, key, value = x @ w_query, x @ w_key, x @ w_value
weights = (query @ key.T / 2**0.5).softmax(dim=-1)
print(weights)
print(weights.sum(dim=-1))

# %% why the root
for d in (4, 64, 1024):
    products = (torch.randn(9000, d) * torch.randn(9000, d)).sum(dim=-1)
    scaled = products / d**0.5
    print(d, round(products.std().item()), round(scaled.std().item()))

# %% picture
picture = weights
rows = ("query 0", "query 1", "query 2")
columns = ("key 0", "key 1", "key 2")
