"""The steps of the lesson on linear, each after its `# %%`; the last part makes the picture."""

# %% brackets
import torch

torch.set_printoptions(precision=2, sci_mode=False)
torch.manual_seed(0)
query, key, value = torch.rand(3, 1000, 8)
left = (query @ key.T) @ value
right = query @ (key.T @ value)
print(torch.allclose(left, right))
print((query @ key.T).shape, (key.T @ value).shape)

# %% weights without a softmax
q = torch.tensor([1.0, 2.0])
k = torch.tensor([[1.0, 0.0], [1.0, 1.0]])
v = torch.tensor([10.0, 20.0])
products = k @ q
print(products, products / products.sum())
print(products @ v / products.sum())

# %% a map that keeps them positive
x = torch.tensor([-2.0, -1.0, 0.0, 1.0])
print(torch.nn.functional.elu(x) + 1)

# %% a state that is updated and read
state, total = torch.zeros(2), torch.zeros(2)
for t in range(2):
    state, total = state + k[t] * v[t], total + k[t]
    print(state, total, q @ state / (q @ total))

# %% picture
picture = torch.stack([products / products.sum(), products.softmax(dim=0)])
rows = ("linear", "softmax")
columns = ("key 0", "key 1")
