--- Submission: the job is shown as it would be sent, a key sends exactly that, and its output is followed.

local server = require('aj.server')
local preview = require('aj.preview')

local M = {}

local last_line = {} ---@type table<string, string> by template, what was asked for last
local last_text = {} ---@type table<string, string[]> by template, the job that was submitted last
local MISSING = { ['shape.missing'] = true, ['command.missing'] = true }

---@class aj.Shown a job that is shown and not sent yet
---@field source integer the buffer of the template
---@field template string its URI
---@field request table with the facts that make the job this very job
---@field line string the request as it was typed
---@field text string[]
---@field summary string
---@field sent? boolean

--- Choose one of the newest jobs.
---@param what string the question
---@param live boolean only among those that have not ended
---@param act fun(id: string)
local function choose(what, live, act)
  server.run(vim.api.nvim_get_current_buf(), 'aj.jobs', { live = live }, function(answer)
    if #answer.jobs == 0 then
      local none = live and 'no job is live' or 'there are no jobs'
      server.say(answer.running and none or none .. ': the submission daemon does not run')
      return
    end
    vim.ui.select(answer.jobs, {
      prompt = what,
      format_item = function(job)
        return ('%s  %-9s  %s on %s'):format(job.id, job.state, job.name, job.service)
      end,
    }, function(job)
      if job then
        act(job.id)
      end
    end)
  end)
end

--- Choose one of the newest jobs and follow it.
function M.jobs()
  choose('Follow which job?', false, M.logs)
end

--- Follow the output of a job in a terminal below, or go to where it is followed.
---@param id string empty: one that is chosen
function M.logs(id)
  if id == '' then
    M.jobs()
    return
  end
  local name = 'aj-log://' .. id
  local there = vim.fn.bufexists(name) == 1 and vim.fn.win_findbuf(vim.fn.bufnr(name))[1]
  if there then
    vim.api.nvim_set_current_win(there)
    return
  end
  local command = vim.list_extend(server.aj(), { 'jobs', 'logs', '-f', id })
  vim.cmd('botright 12new')
  vim.bo.bufhidden = 'wipe'
  vim.fn.jobstart(command, {
    term = true,
    env = vim.tbl_get(vim.lsp.config, server.NAME, 'cmd_env'),
    on_exit = function(_, code)
      server.say(code == 0 and ('job %s is done'):format(id) or ('job %s ended with %d'):format(id, code))
    end,
  })
  vim.api.nvim_buf_set_name(0, name)
  vim.cmd('normal! G')
end

--- Show what is wrong, and go to the first place of it.
---@param buf integer
---@param problems table[]
local function refuse(buf, problems)
  local words = { 'not submitted:' }
  local first ---@type table?
  for _, each in ipairs(problems) do
    if each.severity == 1 then
      words[#words + 1] = ('  %s: %s'):format(each.code, each.message)
      if not first and type(each.uri) == 'string' and type(each.range) == 'table' then
        first = each
      end
    end
  end
  local client = server.client(buf)
  if first and client then
    local place = { uri = first.uri, range = first.range }
    vim.lsp.util.show_document(place, client.offset_encoding, { focus = true })
  end
  server.say(table.concat(words, '\n'), vim.log.levels.ERROR)
end

--- Leave the job that is shown.
---@param buf integer
local function leave(buf)
  vim.cmd('diffoff!')
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if #vim.api.nvim_tabpage_list_wins(0) > 1 then
      vim.api.nvim_win_close(win, true)
    end
  end
  if vim.api.nvim_buf_is_valid(buf) then
    vim.api.nvim_buf_delete(buf, { force = true })
  end
end

--- Send what is shown; whatever happens in between, it is one job or none.
---@param buf integer
---@param shown aj.Shown
local function send(buf, shown)
  if shown.sent then
    return
  end
  shown.sent = true
  vim.wo[vim.fn.bufwinid(buf)].winbar = ('%%#Title# Submitting %s …'):format(shown.summary:gsub('%%', '%%%%'))
  server.run(shown.source, 'aj.submit', { uri = shown.template, request = shown.request }, function(answer)
    last_text[shown.template] = shown.text
    leave(buf)
    server.say(answer.message)
    M.logs(answer.job.id)
  end, function(error)
    leave(buf)
    local data = type(error.data) == 'table' and error.data or {}
    if data.reason == 'problems' then
      refuse(shown.source, data.problems)
      return true
    end
  end)
end

--- Compare the job with the one that this template gave last.
---@param buf integer
---@param shown aj.Shown
local function compare(buf, shown)
  local before = last_text[shown.template]
  if not before then
    server.say('nothing was submitted from this template yet')
    return
  end
  vim.cmd('diffthis')
  vim.cmd('leftabove vnew')
  local other = vim.api.nvim_get_current_buf()
  vim.bo[other].buftype, vim.bo[other].bufhidden, vim.bo[other].swapfile = 'nofile', 'wipe', false
  vim.api.nvim_buf_set_lines(other, 0, -1, false, before)
  vim.bo[other].filetype, vim.bo[other].modifiable = 'json', false
  vim.wo.winbar = '%#Title# Submitted last%*%=q close '
  vim.keymap.set('n', 'q', '<Cmd>diffoff! | close<CR>', { buffer = other })
  vim.cmd('diffthis')
  vim.cmd.wincmd('p')
  assert(vim.api.nvim_get_current_buf() == buf)
end

--- Show a job, with the keys that send or leave it.
---@param shown aj.Shown
local function show(shown)
  vim.cmd('botright new')
  local buf = vim.api.nvim_get_current_buf()
  vim.bo[buf].buftype, vim.bo[buf].bufhidden, vim.bo[buf].swapfile = 'nofile', 'wipe', false
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, shown.text)
  vim.bo[buf].filetype, vim.bo[buf].modifiable = 'json', false
  vim.api.nvim_buf_set_name(buf, 'aj-job://' .. shown.request.sid)
  vim.wo.winbar = ('%%#Title# %s%%*%%=S submit  d compare  q leave '):format(shown.summary:gsub('%%', '%%%%'))
  local function key(lhs, act, what)
    vim.keymap.set('n', lhs, act, { buffer = buf, nowait = true, desc = 'aj: ' .. what })
  end
  key('S', function()
    send(buf, shown)
  end, 'submit this job')
  key('d', function()
    compare(buf, shown)
  end, 'compare with the job submitted last')
  key('q', function()
    leave(buf)
    server.say('nothing was submitted')
  end, 'do not submit')
end

--- Ask for the shape or command that the template leaves open.
---@param buf integer
---@param line string
---@param problems table[]
---@return boolean asked
local function ask(buf, line, problems)
  local words = {}
  for _, each in ipairs(problems) do
    if each.severity == 1 then
      if not MISSING[each.code] then
        return false
      end
      words[#words + 1] = each.message
    end
  end
  if #words == 0 then
    return false
  end
  server.say(table.concat(words, '\n'), vim.log.levels.WARN)
  vim.ui.input({ prompt = 'aj run ', default = line ~= '' and line or '-n 1 ' }, function(answer)
    if answer and vim.trim(answer) ~= '' and answer ~= line then
      vim.api.nvim_buf_call(buf, function()
        M.start(answer)
      end)
    end
  end)
  return true
end

--- Show the job that the template in the current buffer makes now, ready to be submitted.
---@param line string options and command as of `aj run`; empty: those of the last time
function M.start(line)
  local buf = vim.api.nvim_get_current_buf()
  local template = preview.template(buf)
  line = line ~= '' and line or last_line[template] or ''
  local request = require('aj.request').parse(line)
  server.run(buf, 'aj.dryRun', { uri = template, request = next(request) and request or vim.empty_dict() }, function(answer)
    if type(answer.spec_sha256) ~= 'string' then
      if not ask(buf, line, answer.problems) then
        refuse(buf, answer.problems)
      end
      return
    end
    last_line[template] = line
    local names = vim.tbl_map(function(each)
      return vim.fs.basename(each.path)
    end, answer.unsaved)
    local unsaved = #names > 0 and (' (unsaved: %s)'):format(table.concat(names, ', ')) or ''
    show({
      source = buf,
      template = template,
      request = vim.tbl_extend('force', request, {
        sid = answer.sid,
        now = answer.now,
        spec_sha256 = answer.spec_sha256,
      }),
      line = line,
      text = vim.split((answer.text:gsub('\n$', '')), '\n', { plain = true }),
      summary = answer.summary.line .. unsaved,
    })
  end)
end

--- Ask for a job to be stopped.
---@param id string empty: one that is chosen
function M.cancel(id)
  if id == '' then
    choose('Cancel which job?', true, M.cancel)
    return
  end
  server.run(vim.api.nvim_get_current_buf(), 'aj.cancelJob', { job = id }, function(answer)
    server.say(('job %s is %s'):format(answer.job.id, answer.job.state))
  end)
end

return M
