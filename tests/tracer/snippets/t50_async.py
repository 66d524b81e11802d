# Coroutines.
import torch

import asyncio
async def f(t):
    await asyncio.sleep(0)
    return t * 2
async def main():
    return await asyncio.gather(f(torch.ones(1)), f(torch.zeros(1)))
a, b = asyncio.run(main())
