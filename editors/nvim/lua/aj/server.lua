--- The running server: finding it, asking it, and starting it again when it ends by mistake.

local M = {}

M.NAME = 'aj'
M.FILETYPE = 'yaml.aj'

local PAUSES = { 500, 2000, 8000 }
local PATIENCE = 3 * 60 * 1000
local START = 15 * 1000
local crashes = {} ---@type number[]

---@param words string
---@param level? integer
function M.say(words, level)
  vim.notify('aj: ' .. words, level or vim.log.levels.INFO)
end

--- The command that starts the server, as configured; nil where it is a function.
---@return string[]?
function M.command()
  local cmd = vim.tbl_get(vim.lsp.config, M.NAME, 'cmd')
  return type(cmd) == 'table' and cmd or nil
end

--- The command line of `aj` itself: what starts the server, without its last word.
---@return string[]
function M.aj()
  local cmd = M.command()
  if cmd and cmd[#cmd] == 'lsp' then
    return vim.list_slice(cmd, 1, #cmd - 1)
  end
  return { 'aj' }
end

--- Why the server cannot be started; nil where it can.
---@return string?
function M.missing()
  local cmd = M.command()
  if not cmd or vim.fn.executable(cmd[1]) == 1 then
    return nil
  end
  return ('no language server: `%s` is not on PATH.\n'):format(cmd[1])
    .. 'Install it (`pipx install ajkit`), or say where it is:\n'
    .. "  vim.lsp.config('aj', { cmd = { '/path/to/aj', 'lsp' } })\n"
    .. ':checkhealth aj says more.'
end

--- Start the server for the templates that are open, or say why not.
function M.enable()
  local words = M.missing()
  if words then
    vim.notify_once('aj: ' .. words, vim.log.levels.ERROR)
    return
  end
  vim.lsp.enable(M.NAME)
end

--- The client of a buffer, else any there is.
---@param buf? integer
---@return vim.lsp.Client?
function M.client(buf)
  local mine = buf and vim.lsp.get_clients({ name = M.NAME, bufnr = buf })[1]
  return mine or vim.lsp.get_clients({ name = M.NAME })[1]
end

--- Call back with the client of a buffer, once it serves the buffer if it is only starting; or say why none will.
---@param buf integer
---@param ready fun(client: vim.lsp.Client)
function M.with_client(buf, ready)
  local client = M.client(buf)
  if client then
    ready(client)
    return
  end
  if M.missing() or not vim.lsp.is_enabled(M.NAME) or vim.bo[buf].filetype ~= M.FILETYPE then
    M.say(M.missing() or 'this is no template: no language server runs for this buffer', vim.log.levels.ERROR)
    return
  end
  local waiting = vim.api.nvim_create_autocmd('LspAttach', {
    buffer = buf,
    callback = function(event)
      local attached = assert(vim.lsp.get_client_by_id(event.data.client_id))
      if attached.name == M.NAME then -- other servers serve YAML too
        ready(attached)
        return true
      end
    end,
  })
  vim.defer_fn(function()
    if pcall(vim.api.nvim_del_autocmd, waiting) and not M.client(buf) then
      M.say('the language server does not start; :checkhealth aj says more', vim.log.levels.ERROR)
    end
  end, START)
end

--- Ask the server, and hand its answer on. An error is told, unless `on_error` takes it.
---@param buf integer
---@param method string
---@param params table
---@param on_answer fun(answer: any, client: vim.lsp.Client)
---@param on_error? fun(error: lsp.ResponseError): boolean?
function M.ask(buf, method, params, on_answer, on_error)
  M.with_client(buf, function(client)
    client:request(method, params, function(error, answer)
      if error then
        if not (on_error and on_error(error)) then
          M.say(error.message, vim.log.levels.ERROR)
        end
      elseif answer then
        on_answer(answer, client)
      end
    end, buf)
  end)
end

--- Have the server carry out one of its commands.
---@param buf integer
---@param name string
---@param arguments table one object of named members
---@param on_answer fun(answer: any, client: vim.lsp.Client)
---@param on_error? fun(error: lsp.ResponseError): boolean?
function M.run(buf, name, arguments, on_answer, on_error)
  local given = next(arguments) and arguments or vim.empty_dict()
  M.ask(buf, 'workspace/executeCommand', { command = name, arguments = { given } }, on_answer, on_error)
end

--- Called when a server has ended. One that was not asked to is started again, a few times, ever later.
---@param code integer
---@param signal integer
function M.ended(code, signal)
  local asked = (code == 0 and signal == 0) or signal == 15
  if asked or vim.v.exiting ~= vim.NIL then
    return
  end
  local now = vim.uv.now()
  crashes = vim.tbl_filter(function(each)
    return now - each < PATIENCE
  end, crashes)
  crashes[#crashes + 1] = now
  local pause = PAUSES[#crashes]
  vim.schedule(function()
    if not pause then
      local words = 'the language server ended %d times in three minutes; :Aj restart tries again. Its log: %s'
      M.say(words:format(#crashes, vim.lsp.log.get_filename()), vim.log.levels.ERROR)
      return
    end
    M.say('the language server ended unexpectedly; it is started again', vim.log.levels.WARN)
    vim.defer_fn(M.enable, pause)
  end)
end

--- Stop the server and start it again.
function M.restart()
  crashes = {}
  local clients = vim.lsp.get_clients({ name = M.NAME })
  for _, client in ipairs(clients) do
    client:stop()
  end
  local tries = 0
  local function start()
    tries = tries + 1
    local gone = vim.iter(clients):all(function(client)
      return client:is_stopped()
    end)
    if gone then
      M.enable()
    elseif tries == 40 then
      for _, client in ipairs(clients) do
        client:stop(true)
      end
      vim.defer_fn(M.enable, 500)
    else
      vim.defer_fn(start, 50)
    end
  end
  start()
end

return M
