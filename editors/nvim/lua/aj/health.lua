--- `:checkhealth aj`: what is found, what is missing, and what to do about it.

local server = require('aj.server')

local M = {}

--- Run a command of `aj`; what it printed, or nil.
---@param ... string
---@return string?
local function printed(...)
  local command = vim.list_extend(server.aj(), { ... })
  local fine, done = pcall(function()
    return vim.system(command, { text = true, timeout = 20000 }):wait()
  end)
  return fine and done.stdout ~= '' and vim.trim(done.stdout) or nil
end

local function editor()
  vim.health.start('Neovim')
  if vim.fn.has('nvim-0.11') == 1 then
    local version = vim.version()
    vim.health.ok(('version %d.%d.%d'):format(version.major, version.minor, version.patch))
  else
    vim.health.error('Neovim 0.11 or newer is needed')
  end
  local mine = vim.api.nvim_get_runtime_file('lsp/aj.lua', false)[1]
  vim.health.info(('configuration: %s'):format(mine or 'lsp/aj.lua is not on the runtime path'))
end

---@return boolean
local function program()
  vim.health.start('The server')
  local missing = server.missing()
  if missing then
    vim.health.error(missing:match('^[^\n]*'), vim.split(missing, '\n', { plain = true }))
    return false
  end
  local command = server.command()
  vim.health.ok('command: ' .. (command and table.concat(command, ' ') or 'a function'))
  local version = printed('--version')
  if version then
    vim.health.ok(version)
  else
    vim.health.warn(('`%s --version` says nothing'):format(table.concat(server.aj(), ' ')))
  end
  vim.health.info('log: ' .. vim.lsp.log.get_filename())
  return true
end

--- What a running server says of itself.
---@param client vim.lsp.Client
local function running(client)
  local version = vim.tbl_get(client, 'server_info', 'version') or 'of unknown version'
  vim.health.ok(('running: %s, for %d buffers, from %s'):format(
    version,
    vim.tbl_count(client.attached_buffers),
    client.root_dir or 'no folder'
  ))
  local params = { command = 'aj.status', arguments = {} }
  local answer = client:request_sync('workspace/executeCommand', params, 20000)
  local status = answer and answer.result
  if not status then
    vim.health.error('it does not answer', { ':Aj restart' })
    return
  end
  for _, home in ipairs(status.homes) do
    local files = type(home.files) == 'number' and (', %d files'):format(home.files) or ''
    vim.health.ok(('AJ_HOME %s: %s%s'):format(home.path, home.state, files))
  end
  if #status.homes == 0 then
    vim.health.warn('no AJ_HOME: no folder .aj or .azure_jobs above the open templates', { 'aj init makes one' })
  end
  vim.health.info(('%d templates open, %d errors, %d warnings'):format(status.open, status.errors, status.warnings))
end

--- The report of `aj doctor`: its sections, and the way out below what is missing.
local function machine()
  local text = printed('doctor')
  if not text then
    vim.health.warn('aj doctor says nothing')
    return
  end
  local entry, advice ---@type string?, string[]
  local function tell()
    if entry and entry:match('^.-%s%s+ok%s%s') then
      vim.health.ok(entry)
    elseif entry then
      vim.health.info(table.concat({ entry, unpack(advice) }, ' '))
    end
    entry, advice = nil, {}
  end
  for line in vim.gsplit(text, '\n', { plain = true }) do
    local words = vim.trim(line)
    if vim.startswith(words, '→') then
      advice[#advice + 1] = words
    elseif words ~= '' then
      tell()
      if line == words then
        vim.health.start('aj doctor: ' .. words)
      else
        entry = words
      end
    end
  end
  tell()
end

function M.check()
  editor()
  if not program() then
    return
  end
  local clients = vim.lsp.get_clients({ name = server.NAME })
  for _, client in ipairs(clients) do
    running(client)
  end
  if #clients == 0 then
    vim.health.info('no template is open, so no server runs')
  end
  machine()
end

return M
