--- The command `:Aj`: its words, what they do, and how they are completed.

local M = {}

---@class aj.Verb
---@field run fun(line: string, bang: boolean)
---@field flags? boolean whether it takes the options of `aj run`
---@field files? boolean whether it takes a file

---@type table<string, aj.Verb>
local VERBS = {
  preview = {
    flags = true,
    run = function(line, bang)
      require('aj.preview').open('spec', line, bang)
    end,
  },
  merged = {
    flags = true,
    run = function(line, bang)
      require('aj.preview').open('merged', line, bang)
    end,
  },
  amlt = {
    flags = true,
    run = function(line, bang)
      require('aj.preview').open('amlt', line, bang)
    end,
  },
  submit = {
    flags = true,
    run = function(line)
      require('aj.submit').start(line)
    end,
  },
  jobs = {
    run = function()
      require('aj.submit').jobs()
    end,
  },
  logs = {
    run = function(line)
      require('aj.submit').logs(line)
    end,
  },
  cancel = {
    run = function(line)
      require('aj.submit').cancel(line)
    end,
  },
  bases = {
    run = function()
      require('aj.family').bases()
    end,
  },
  dependents = {
    run = function(line)
      require('aj.family').dependents(line ~= '' and line or nil)
    end,
  },
  graph = {
    run = function()
      require('aj.family').graph()
    end,
  },
  impact = {
    run = function(line)
      require('aj.compare').impact(line)
    end,
  },
  diff = {
    run = function(line)
      require('aj.compare').diff(line)
    end,
  },
  rename = {
    files = true,
    run = function(line)
      require('aj.files').rename(line)
    end,
  },
  lens = {
    run = function()
      vim.lsp.codelens.run()
    end,
  },
  restart = {
    run = function()
      require('aj.server').restart()
    end,
  },
  health = {
    run = function()
      vim.cmd('checkhealth aj')
    end,
  },
}

---@param words string[]
---@param lead string
---@return string[]
local function starting(words, lead)
  return vim.tbl_filter(function(each)
    return vim.startswith(each, lead)
  end, words)
end

--- What fits at the end of a `:Aj` line.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local before = line:match('Aj!?%s+(.*)$') or ''
  local verb = before:match('^(%S+)%s')
  if not verb then
    local verbs = vim.tbl_keys(VERBS)
    table.sort(verbs)
    return starting(verbs, lead)
  end
  local known = VERBS[verb]
  if known and known.flags then
    return starting(require('aj.request').flags(), lead)
  end
  if known and known.files then
    local folder = vim.fs.dirname(vim.api.nvim_buf_get_name(0))
    return vim.tbl_map(function(path)
      return path:sub(#folder + 2)
    end, vim.fn.glob(vim.fs.joinpath(folder, lead) .. '*', false, true))
  end
  return {}
end

--- Carry out a `:Aj` line.
---@param line string
---@param bang boolean
function M.run(line, bang)
  local verb, rest = line:match('^(%S+)%s*(.-)%s*$')
  local known = VERBS[verb]
  local say = require('aj.server').say
  if not known then
    local verbs = vim.tbl_keys(VERBS)
    table.sort(verbs)
    say(('there is no `:Aj %s`; there are %s'):format(verb or '', table.concat(verbs, ', ')), vim.log.levels.ERROR)
    return
  end
  local fine, problem = pcall(known.run, rest, bang)
  if not fine then
    say((tostring(problem):gsub('^aj: ', '')), vim.log.levels.ERROR)
  end
end

return M
