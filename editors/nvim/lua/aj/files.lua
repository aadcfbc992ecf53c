--- Moving a template: every base name that leads to it follows, as do the names in it.

local server = require('aj.server')

local M = {}

--- The buffers of files whose text is not on disk.
---@return table<integer, true>
local function modified()
  local found = {}
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == '' and vim.bo[buf].modified then
      found[buf] = true
    end
  end
  return found
end

---@param old string
---@param new string
---@param edit lsp.WorkspaceEdit?
---@param client vim.lsp.Client
local function move(old, new, edit, client)
  local before = modified()
  if edit then
    vim.lsp.util.apply_workspace_edit(edit, client.offset_encoding)
  end
  vim.fn.mkdir(vim.fs.dirname(new), 'p')
  vim.lsp.util.rename(old, new)
  client:notify('workspace/didRenameFiles', {
    files = { { oldUri = vim.uri_from_fname(old), newUri = vim.uri_from_fname(new) } },
  })
  local others = 0
  for buf in pairs(modified()) do
    if not before[buf] then
      others = others + 1
    end
  end
  local words = ('%s is %s now'):format(vim.fn.fnamemodify(old, ':t'), vim.fn.fnamemodify(new, ':~:.'))
  if others > 0 then
    words = words .. (', and %d %s changed with it: :wall writes %s'):format(
      others,
      others == 1 and 'file' or 'files',
      others == 1 and 'it' or 'them'
    )
  end
  server.say(words)
end

--- Move the file of the current buffer; base names follow.
---@param name string relative to the file's folder; without an ending it is a base name
function M.rename(name)
  local buf = vim.api.nvim_get_current_buf()
  local old = vim.api.nvim_buf_get_name(buf)
  if name == '' then
    vim.ui.input({ prompt = 'New name: ', default = vim.fs.basename(old) }, function(answer)
      if answer and answer ~= '' then
        M.rename(answer)
      end
    end)
    return
  end
  local given = vim.startswith(name, '/') and name or vim.fs.joinpath(vim.fs.dirname(old), name)
  local new = vim.fs.normalize(given:match('%.ya?ml$') and given or given .. '.yaml')
  if vim.uv.fs_stat(new) then
    server.say(('there is a file %s already'):format(new), vim.log.levels.ERROR)
    return
  end
  if vim.bo[buf].modified then
    server.say('write the file first', vim.log.levels.ERROR)
    return
  end
  local client = server.client(buf)
  if not client then
    server.say(server.missing() or 'no language server runs, so no base name would follow', vim.log.levels.ERROR)
    return
  end
  local params = { files = { { oldUri = vim.uri_from_fname(old), newUri = vim.uri_from_fname(new) } } }
  client:request('workspace/willRenameFiles', params, function(error, edit)
    if error then
      server.say(error.message, vim.log.levels.ERROR)
      return
    end
    move(old, new, edit, client)
  end, buf)
end

return M
