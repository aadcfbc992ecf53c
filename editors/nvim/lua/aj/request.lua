--- What is asked of a job, as `aj run` takes it on its command line: `-n 2 -p 8 --env LR=0.1 python train.py`.

local M = {}

---@class aj.Request
---@field nodes? integer
---@field processes? integer
---@field ppn? integer
---@field with? string[]
---@field set? string[]
---@field env? string[]
---@field name? string
---@field experiment? string
---@field code? string
---@field shell? boolean
---@field amlt? boolean
---@field all_jobs? boolean
---@field command? string[]

---@type { [1]: string, [2]: string, [3]: 'number'|'list'|'text'|'switch' }[]
local OPTIONS = {
  { '-n', 'nodes', 'number' },
  { '-p', 'processes', 'number' },
  { '--ppn', 'ppn', 'number' },
  { '--with', 'with', 'list' },
  { '--set', 'set', 'list' },
  { '--env', 'env', 'list' },
  { '--name', 'name', 'text' },
  { '-e', 'experiment', 'text' },
  { '--experiment', 'experiment', 'text' },
  { '--code', 'code', 'text' },
  { '--shell', 'shell', 'switch' },
  { '--amlt', 'amlt', 'switch' },
  { '--all-jobs', 'all_jobs', 'switch' },
}

local BY_FLAG = {} ---@type table<string, { [1]: string, [2]: string, [3]: string }>
for _, option in ipairs(OPTIONS) do
  BY_FLAG[option[1]] = option
end

--- The flags that a request may have, for completion.
---@return string[]
function M.flags()
  return vim.tbl_map(function(option)
    return option[1]
  end, OPTIONS)
end

--- The words of a line, as a shell would split it: quotes hold words together, a backslash takes the next sign as it is.
---@param line string
---@return string[]
function M.words(line)
  local found, word, quote = {}, nil, nil ---@type string[], string?, string?
  local at = 1
  while at <= #line do
    local sign = line:sub(at, at)
    if sign == quote then
      quote = nil
    elseif quote == "'" then
      word = word .. sign
    elseif sign == '\\' then
      at = at + 1
      word = (word or '') .. line:sub(at, at)
    elseif quote then
      word = word .. sign
    elseif sign == '"' or sign == "'" then
      quote, word = sign, word or ''
    elseif sign:match('%s') then
      found[#found + 1], word = word, nil
    else
      word = (word or '') .. sign
    end
    at = at + 1
  end
  if quote then
    error(('aj: a quote %s is not closed'):format(quote), 0)
  end
  found[#found + 1] = word
  return found
end

--- The request that a line asks for; what follows the options is the command.
---@param line string
---@return aj.Request
function M.parse(line)
  local words = M.words(line)
  local request = {} ---@type table<string, any>
  local at = 1
  while at <= #words do
    local flag, value = words[at]:match('^(%-%-[%w-]+)=(.*)$')
    flag = flag or words[at]
    local option = BY_FLAG[flag]
    if not option then
      break
    end
    local _, member, kind = unpack(option)
    if kind == 'switch' then
      request[member] = true
    else
      if not value then
        at = at + 1
        value = words[at]
      end
      if not value then
        error(('aj: %s needs a value'):format(flag), 0)
      end
      if kind == 'number' then
        request[member] = tonumber(value) or error(('aj: %s takes a whole number, not %s'):format(flag, value), 0)
      elseif kind == 'list' then
        request[member] = vim.list_extend(request[member] or {}, { value })
      else
        request[member] = value
      end
    end
    at = at + 1
  end
  local rest = vim.list_slice(words, words[at] == '--' and at + 1 or at)
  if words[at] and words[at] ~= '--' and vim.startswith(words[at], '-') then
    error(('aj: there is no option %s; there are %s'):format(words[at], table.concat(M.flags(), ' ')), 0)
  end
  if #rest > 0 then
    request.command = rest
  end
  return request
end

return M
