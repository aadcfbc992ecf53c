--- What a buffer gets when the server begins to serve it.

local server = require('aj.server')

local M = {}

---@class aj.Options
---@field enable? boolean start the server for templates (default true)
---@field lenses? boolean show code lenses (default true)
---@field inlays? boolean show inlay hints (default true)
---@field completion? boolean let completion come up by itself (default false)
---@field keys? boolean map `gx`, `grx` in templates (default true)

--- One of the options in `vim.g.aj`.
---@param name string
---@param otherwise boolean
---@return boolean
function M.option(name, otherwise)
  local value = vim.tbl_get(vim.g.aj or {}, name)
  if value == nil then
    return otherwise
  end
  return value
end

---@param buf integer
---@param lhs string
---@param act fun()
---@param what string
local function map(buf, lhs, act, what)
  vim.keymap.set('n', lhs, act, { buffer = buf, desc = 'aj: ' .. what })
end

---@param buf integer
---@param client vim.lsp.Client
local function template(buf, client)
  local group = vim.api.nvim_create_augroup('aj.buffer.' .. buf, {})
  if M.option('lenses', true) then
    local function refresh()
      vim.lsp.codelens.refresh({ bufnr = buf })
    end
    vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged' }, {
      group = group,
      buffer = buf,
      callback = refresh,
    })
    refresh()
  end
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI' }, {
    group = group,
    buffer = buf,
    callback = function()
      require('aj.preview').follow(buf)
    end,
  })
  if M.option('inlays', true) then
    vim.lsp.inlay_hint.enable(true, { bufnr = buf })
  end
  if M.option('completion', false) then
    vim.lsp.completion.enable(true, client.id, buf, { autotrigger = true })
  end
  if M.option('keys', true) then
    map(buf, 'gx', require('aj.links').open, 'open the link under the cursor')
    map(buf, 'grx', vim.lsp.codelens.run, 'run the code lens of this line')
  end
end

--- The server begins to serve a buffer (`LspAttach`).
---@param buf integer
---@param client vim.lsp.Client
function M.attached(buf, client)
  if client.name ~= server.NAME or vim.bo[buf].buftype ~= '' then
    return
  end
  template(buf, client)
  require('aj.preview').adopt(client)
end

--- It serves the buffer no longer (`LspDetach`).
---@param buf integer
---@param client vim.lsp.Client?
function M.detached(buf, client)
  if client and client.name == server.NAME then
    pcall(vim.api.nvim_del_augroup_by_name, 'aj.buffer.' .. buf)
  end
end

return M
