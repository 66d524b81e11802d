"""Who lives, web or worker: keys in Redis that die when their owner is not heard of."""

from typing import Final

LIFE_MILLISECONDS: Final = 2_500
"""Who has not been heard of for so long, by the clock of Redis, is gone: what a web held is free, and the runs of a worker end."""

LIVES_FUNCTION: Final = f"""
local function lives(key)
  local left = redis.call('PTTL', key)
  if left > {LIFE_MILLISECONDS} then redis.call('PEXPIRE', key, {LIFE_MILLISECONDS}) end
  return left ~= -2
end
"""
"""Whether such a key is there. One that has longer to live was written before the clock of Redis went back, and would outlive its
owner by as long as it went back: its time begins anew. Whoever lives writes the key again sooner."""
