"""What the web does at once in Redis, as Lua scripts: look at the workers, hand a run over, stop it, ask whether it lives.

They are sent whole each time (at most 900 bytes): a Redis that was started anew knows none by its hash. A worker sends none: its
user may send no script, for one that never ends would stop the whole Redis.
"""

from typing import Final

from app.fleet import names
from app.fleet.living import LIVES_FUNCTION

START: Final = "string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')"
"""What tells this start of Redis from every other. A queue that came back from the disk is of another one."""

MOST_WORKERS: Final = 100
MOST_TOLD: Final = 8 << 10
"""Bytes that a worker may tell of itself."""

LOOK_MILLISECONDS: Final = 5_000

LOOK: Final = f"""{LIVES_FUNCTION}
local prefix = ARGV[1]
local function waits(key)
  local count = redis.pcall('LLEN', key)
  return type(count) == 'number' and count or 0
end
redis.call('SET', KEYS[2], '', 'PX', {LOOK_MILLISECONDS})
local found = {{}}
for _, id in ipairs(redis.call('SRANDMEMBER', KEYS[1], {MOST_WORKERS})) do
  lives(prefix .. id)
  local told = redis.pcall('HMGET', prefix .. id, 'places', 'told')
  if told[1] and told[2] and #id <= 64 and #told[1] <= 4 and #told[2] <= {MOST_TOLD} then
    local key = prefix .. id
    found[#found + 1] = {{id, told[1], told[2], waits(key .. ':queue') + waits(key .. ':taken')}}
  elseif not told[1] then
    redis.call('SREM', KEYS[1], id)
  end
end
return found
"""
"""Every worker that lives: its id, its places, what it tells, how many runs it has; an error where Redis is full.

One whose announcement is no hash is none. KEYS: workers, room. ARGV: what every key of a worker begins with."""

HAND_OVER: Final = f"""
local places = tonumber(redis.call('HGET', KEYS[1], 'places') or '') or 0
if redis.call('LLEN', KEYS[2]) + redis.call('LLEN', KEYS[3]) >= places then return 0 end
redis.call('HSET', KEYS[4], 'start', {START}, 'request', ARGV[2], 'reply', ARGV[3])
redis.call('PEXPIRE', KEYS[4], {names.REPLY_MILLISECONDS})
redis.call('RPUSH', KEYS[2], ARGV[1])
redis.call('PEXPIRE', KEYS[2], {names.REPLY_MILLISECONDS})
return 1
"""
"""1 where the worker has a free place and has the run now. KEYS: announced, queue, taken, request. ARGV: run, request, reply."""

STOP: Final = f"""
if redis.call('DEL', KEYS[1]) == 1 then return 1 end
redis.call('RPUSH', KEYS[2], ARGV[1])
redis.call('PEXPIRE', KEYS[2], {names.REPLY_MILLISECONDS})
return 0
"""
"""1 where nobody has claimed the run, and nobody will; else its worker is told. KEYS: request, control. ARGV: run."""

LIVES: Final = """
local place = redis.call('LPOS', KEYS[3], ARGV[1]) or redis.call('LPOS', KEYS[2], ARGV[1])
return redis.call('EXISTS', KEYS[1]) == 1 and place and 1 or 0
"""
"""1 while the worker lives and has the run. KEYS: announced, queue, taken. ARGV: run."""
