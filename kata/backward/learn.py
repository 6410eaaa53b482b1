"""The steps of the lesson on backward, each after its `# %%`; the last part makes the picture."""

# %% one row by hand
import torch

torch.set_printoptions(precision=2, sci_mode=False)
p = torch.tensor([0.5, 0.5])
grad_p = torch.tensor([3.0, 1.0])
row_sum = (p * grad_p).sum()
print(row_sum, p * (grad_p - row_sum))

# %% the whole Jacobian, once
s = torch.tensor([0.0, 1.0, 2.0], dtype=torch.float64)
p = s.softmax(dim=0)
jacobian = p.diag() - p[:, None] * p
print(jacobian)
print(jacobian.sum(dim=-1).abs().max().item() < 1e-12)

# %% its product, without it
grad_p = torch.tensor([1.0, -1.0, 2.0], dtype=torch.float64)
short = p * (grad_p - (p * grad_p).sum())
print(torch.allclose(jacobian @ grad_p, short))

# %% a product of matrices
a, b = torch.randn(2, 3), torch.randn(3, 4)
grad = torch.randn(2, 4)
print((grad @ b.T).shape, (a.T @ grad).shape)

# %% finite differences agree
step = 1e-6
moved = s.clone()
moved[1] += step
loss = (moved.softmax(dim=0) - p) @ grad_p / step
print(abs(loss - short[1]).item() < 1e-5)

# %% picture
picture = jacobian
rows = ("score 0", "score 1", "score 2")
columns = ("weight 0", "weight 1", "weight 2")
