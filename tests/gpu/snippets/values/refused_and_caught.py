import torch
x = torch.ones(3, device="cuda", requires_grad=True)
for attempt in (lambda: x + torch.ones(2, device="cuda"), lambda: x.view(2), lambda: x.long().backward(), lambda: x.add_(1)):
    try:
        attempt()
    except RuntimeError as error:
        print(str(error).splitlines()[0])
y = x * 2
y @ torch.ones(2, device="cuda")
