"""The order that all webs share, as Lua scripts: every decision is one of them. `app/fleet/README.md` has the table of its keys.

What they decide is what `app.engine.Admission` decides on one machine, which the tests compare them with. `KEYS[1]` is the
order's state, and every other key of the order begins with it. The arguments begin with: the web that asks, the places that it
sees, how many may wait, how many one address may have on their way. A ticket is `<web>.<number>`; a visitor is
a digest, an address the digests of the networks in which it counts (`app/networks.py`), the widest last: that has a row.

Every answer is a list: a word, a number, then how things stand (who waits, places, the usual seconds in a place, milliseconds
since a place was last given or given back), and for TICK the tickets of the web that asks, each with a word. The words about a
ticket: `place` (it is theirs), `wanted` (so it is, and a visitor waits for it), `gone` (it gave way to another address), or its
position; 0 for one that waits for a place to spare.
"""

from typing import Final

from app import networks
from app.engine.admission import MOST_OF_ONE_VISITOR
from app.fleet import names
from app.fleet.living import LIVES_FUNCTION

DIGEST_LENGTH: Final = 32
"""Characters of each digest."""

LIFE_MILLISECONDS: Final = 60_000
"""How long the order outlives the last web."""

SHARED: Final = f"""
local state = KEYS[1]
local function key(name) return state .. ':' .. name end
local tickets, rows, turns = key('tickets'), key('rows'), key('turns')
local running, busy, visitors, addresses = key('running'), key('busy'), key('visitors'), key('addresses')
local spare, sparing, spares = key('spare'), key('sparing'), key('spares')
local web, places, queue_length, of_one_address = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local entering, has_entered  -- the ticket that is answered at once, and whether its place is there

local function plain(number) return string.format('%d', number) end
local function count(hash, field) return tonumber(redis.call('HGET', hash, field) or 0) end
local function add(hash, field, number)
  if redis.call('HINCRBY', hash, field, number) <= 0 then redis.call('HDEL', hash, field) end
end
local function moved() redis.call('HSET', state, 'moved', plain(now)) end

local function keep()
  local places_and_rows = {{state, tickets, rows, turns, running, busy}}
  local counts_and_news = {{visitors, addresses, spare, sparing, spares, key('news:' .. web)}}
  for _, some in ipairs({{places_and_rows, counts_and_news}}) do
    for _, each in ipairs(some) do redis.call('PEXPIRE', each, {LIFE_MILLISECONDS}) end
  end
end

local function answer(word, number)
  keep()
  local usual = redis.call('HGET', state, 'usual') or '0.05'
  local still = now - tonumber(redis.call('HGET', state, 'moved') or now)
  if still < 0 then moved() end  -- the clock went back
  return {{word, number or 0, redis.call('ZCARD', rows), places, usual, math.max(0, still)}}
end

local function tell(word, ticket)
  if ticket == entering and word == 'place' then
    has_entered = true
    return
  end
  local news = key('news:' .. string.match(ticket, '^%w+'))
  redis.call('RPUSH', news, word .. ' ' .. ticket)
  redis.call('PEXPIRE', news, {LIFE_MILLISECONDS})
end

local times = {{1, {", ".join(map(str, networks.TIMES.values()))}}}  -- the bound of one address
local function networks_of(address)
  local found = {{}}
  for first = 1, #address, {DIGEST_LENGTH} do
    table.insert(found, string.sub(address, first, first + {DIGEST_LENGTH - 1}))
  end
  return found
end
local function row_of(address) return string.sub(address, {-DIGEST_LENGTH}) end

-- A row is what stands in `rows` between `<row>:` and `<row>;`, the serial number of each ticket before its name.
local function member(ticket, row, serial) return row .. ':' .. string.format('%016d', serial) .. ':' .. ticket end
local function length(row) return redis.call('ZLEXCOUNT', rows, '[' .. row .. ':', '(' .. row .. ';') end
local function ticket_at(row, place)
  local found = redis.call('ZRANGEBYLEX', rows, '[' .. row .. ':', '(' .. row .. ';', 'LIMIT', place, 1)
  return string.match(found[1], '[^:]+$')
end
local function read(ticket)  -- visitor, address (none for a place to spare), serial number
  return string.match(redis.call('HGET', tickets, ticket) or '', '^(%w+):(%w*):(%d+)$')
end
local function write(ticket, visitor, address)
  local serial = redis.call('HINCRBY', state, 'serial', 1)
  redis.call('HSET', tickets, ticket, visitor .. ':' .. address .. ':' .. plain(serial))
  if address == '' then
    redis.call('HINCRBY', spares, visitor, 1)
  else
    redis.call('HINCRBY', visitors, visitor, 1)
    for _, network in ipairs(networks_of(address)) do redis.call('HINCRBY', addresses, network, 1) end
  end
  return serial
end
local function leave_row(ticket, row, serial)
  redis.call('ZREM', rows, member(ticket, row, serial))
  if length(row) == 0 then redis.call('ZREM', turns, row) end
end

local function run(ticket, visitor, address)
  if address == '' then
    redis.call('HSET', sparing, ticket, 'place')
  else
    redis.call('HSET', running, ticket, plain(now))
    redis.call('HINCRBY', busy, visitor, 1)
  end
  moved()
end

local function forget(ticket)  -- since when it had a place of a visitor's
  local visitor, address, serial = read(ticket)
  if not visitor then return nil end
  redis.call('HDEL', tickets, ticket)
  if address == '' then
    if redis.call('HDEL', sparing, ticket) == 1 then moved() else redis.call('ZREM', spare, ticket) end
    add(spares, visitor, -1)
    return nil
  end
  local since = redis.call('HGET', running, ticket)
  if since then
    redis.call('HDEL', running, ticket)
    add(busy, visitor, -1)
    moved()
  else
    leave_row(ticket, row_of(address), serial)
  end
  add(visitors, visitor, -1)
  for _, network in ipairs(networks_of(address)) do add(addresses, network, -1) end
  return since
end

local function is_free() return redis.call('HLEN', running) + redis.call('HLEN', sparing) < places end
local function has_spare() return is_free() and redis.call('HLEN', sparing) < math.max(1, places - 1) end

local function whose_turn()  -- looks at no more tickets than visitors are busy, and one
  for turn = 0, redis.call('ZCARD', turns) - 1 do
    local row = redis.call('ZRANGE', turns, turn, turn)[1]
    for place = 0, length(row) - 1 do
      local ticket = ticket_at(row, place)
      local visitor, address, serial = read(ticket)
      if count(busy, visitor) == 0 then return ticket, visitor, address, serial end
    end
  end
end

local function fill()
  while is_free() do
    local ticket, visitor, address, serial = whose_turn()
    if not ticket then break end
    local row = row_of(address)
    leave_row(ticket, row, serial)
    if length(row) > 0 then
      redis.call('ZADD', turns, redis.call('HINCRBY', state, 'serial', 1), row)
    end
    run(ticket, visitor, address)
    tell('place', ticket)
  end
  while redis.call('ZCARD', spare) > 0 and has_spare() do
    local ticket = redis.call('ZPOPMIN', spare)[1]
    run(ticket, '', '')
    tell('place', ticket)
  end
end
"""

ENTER: Final = f"""{SHARED}
local ticket, visitor, address = ARGV[5], ARGV[6], ARGV[7]
local row = row_of(address)

local function displace()
  local longest, most = nil, 0
  for _, each in ipairs(redis.call('ZRANGE', turns, 0, -1)) do
    local here = length(each)
    if here > most then longest, most = each, here end
  end
  if most <= length(row) + 1 then return false end
  local last = ticket_at(longest, most - 1)
  forget(last)
  tell('gone', last)
  return true
end

local function position()
  local before, mine, is_after = 1, length(row) - 1, false
  for _, each in ipairs(redis.call('ZRANGE', turns, 0, -1)) do
    local here = length(each)
    before = before + math.min(here, mine)
    is_after = is_after or each == row
    if not is_after and here > mine then before = before + 1 end
  end
  return before
end

if count(visitors, visitor) >= {MOST_OF_ONE_VISITOR} then return answer('visitor') end
for place, network in ipairs(networks_of(address)) do
  local number = count(addresses, network)
  if number >= of_one_address * times[place] then return answer('address', number) end
end
local goes_at_once = is_free() and count(busy, visitor) == 0
if not goes_at_once and redis.call('ZCARD', rows) >= queue_length and not displace() then return answer('queue') end
entering = ticket
local serial = write(ticket, visitor, address)
redis.call('ZADD', turns, 'NX', serial, row)
redis.call('ZADD', rows, 0, member(ticket, row, serial))
fill()
if has_entered then return answer('place') end
if not is_free() then
  local held = redis.call('HGETALL', sparing)
  for each = 1, #held, 2 do
    if held[each + 1] == 'place' then
      redis.call('HSET', sparing, held[each], 'wanted')
      tell('wanted', held[each])
    end
  end
end
return answer('wait', position())
"""
"""A visitor's run comes. ARGV: ticket, visitor, address. Words: place, wait (and its position), visitor, address (and how many),
queue: the last three refuse it."""

SPARE: Final = f"""{SHARED}
local ticket, visitor = ARGV[5], ARGV[6]
local is_full = not has_spare() and redis.call('ZCARD', spare) >= queue_length
if is_full or count(spares, visitor) >= {MOST_OF_ONE_VISITOR} then return answer('spare') end
entering = ticket
redis.call('ZADD', spare, write(ticket, visitor, ''), ticket)
fill()
return answer(has_entered and 'place' or 'wait')
"""
"""A run in the background comes. ARGV: ticket, visitor. Words: place, wait, and spare, which refuses it."""

LEAVE: Final = f"""{SHARED}
keep()
local since = forget(ARGV[5])
if since then
  local usual = tonumber(redis.call('HGET', state, 'usual') or 0.05)
  local seconds = math.max(0, now - tonumber(since)) / 1000
  redis.call('HSET', state, 'usual', tostring(usual + (seconds - usual) / 8))
end
fill()
return answer('left')
"""
"""A run gives its place back, or waits no more, or is not known; its place goes to whose turn it is. ARGV: ticket."""

HOLD: Final = f"""{SHARED}
keep()
local ticket, visitor, address = ARGV[5], ARGV[6], ARGV[7]
forget(ticket)
write(ticket, visitor, address)
run(ticket, visitor, address)
return answer('place')
"""
"""A run has its place, whatever Redis knew of it: also beyond the places. ARGV: ticket, visitor, address ('' for one to spare)."""

TICK: Final = f"""{SHARED}{LIVES_FUNCTION}
keep()
local are_here = {{[web] = true}}
for _, ticket in ipairs(redis.call('HKEYS', tickets)) do
  local its = string.match(ticket, '^%w+')
  if are_here[its] == nil then are_here[its] = lives('{names.HERE}' .. its) end
  if not are_here[its] then
    forget(ticket)
    redis.call('DEL', key('news:' .. its))
  end
end
fill()

local in_row = {{}}
for _, each in ipairs(redis.call('ZRANGE', rows, 0, -1)) do
  local row, ticket = string.match(each, '^(%w+):%d+:(.+)$')
  in_row[row] = in_row[row] or {{}}
  table.insert(in_row[row], ticket)
end
local positions, position, place, left = {{}}, 0, 1, redis.call('ZRANGE', turns, 0, -1)
while #left > 0 do
  local longer = {{}}
  for _, row in ipairs(left) do
    position = position + 1
    positions[in_row[row][place]] = position
    if in_row[row][place + 1] then table.insert(longer, row) end
  end
  place, left = place + 1, longer
end

local told = answer('tick')
for _, ticket in ipairs(redis.call('HKEYS', tickets)) do
  if string.match(ticket, '^%w+') == web then
    local word = redis.call('HGET', sparing, ticket) or redis.call('HEXISTS', running, ticket) == 1 and 'place'
    table.insert(told, ticket)
    table.insert(told, word or plain(positions[ticket] or 0))
  end
end
return told
"""
"""A web looks: what webs held that are gone is free, and places that came go to whose turn it is. Then its own tickets."""

ANEW: Final = f"""{SHARED}
redis.call('DEL', state, tickets, rows, turns, running, busy, visitors, addresses, spare, sparing, spares)
return answer('anew')
"""
"""The order begins anew, as where Redis has lost it: each web tells at its next look which runs have places."""
