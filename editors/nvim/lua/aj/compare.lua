--- What templates come to, compared: with another template, with a git revision, with the files as saved.

local server = require('aj.server')
local preview = require('aj.preview')

local M = {}

--- Show a text that a command answered, beside the template.
---@param title string
---@param text string
---@param nothing string
local function show(title, text, nothing)
  if text == '' then
    server.say(nothing)
    return
  end
  vim.cmd('botright vnew')
  local buf = vim.api.nvim_get_current_buf()
  vim.bo[buf].buftype, vim.bo[buf].bufhidden, vim.bo[buf].swapfile = 'nofile', 'wipe', false
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split((text:gsub('\n$', '')), '\n', { plain = true }))
  vim.bo[buf].modifiable = false
  vim.wo.winbar = ('%%#Title# %s%%*%%=q close '):format((title:gsub('%%', '%%%%')))
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, desc = 'aj: close' })
end

--- Which templates come to something else by what is not saved yet, or since a git revision.
---@param revision string empty: as saved
function M.impact(revision)
  local buf = vim.api.nvim_get_current_buf()
  local arguments = { uri = preview.template(buf), rev = revision ~= '' and revision or nil }
  server.run(buf, 'aj.impact', arguments, function(answer)
    show(answer.message, answer.text, answer.message)
  end)
end

--- What differs between this template and another one, or itself at a git revision (`@v1`).
---@param against string empty: the last commit
function M.diff(against)
  local buf = vim.api.nvim_get_current_buf()
  local arguments = { uri = preview.template(buf) }
  if vim.startswith(against, '@') then
    arguments.rev = against:sub(2)
  elseif against ~= '' then
    arguments.other = against
  end
  server.run(buf, 'aj.diff', arguments, function(answer)
    local before = type(answer.before.rev) == 'string' and answer.before.rev or answer.before.name
    local words = #answer.problems > 0 and answer.problems[1].message or ('nothing differs from %s'):format(before)
    show(('%s, against %s'):format(answer.after.name, before), answer.text, words)
  end)
end

return M
