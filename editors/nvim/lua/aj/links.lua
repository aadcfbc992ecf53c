--- Links in a template: base names, and the files that commands and setup lines mention.

local server = require('aj.server')

local M = {}

--- Go to what a target names: a file, perhaps with the line `#L12`.
---@param target string
local function go(target)
  local uri, line = target:match('^(.-)#L(%d+)$')
  uri = uri or target
  if not vim.startswith(uri, 'file:') then
    vim.ui.open(uri)
    return
  end
  vim.cmd.edit(vim.fn.fnameescape(vim.uri_to_fname(uri)))
  if line then
    vim.api.nvim_win_set_cursor(0, { tonumber(line), 0 })
  end
end

--- Open the link under the cursor; where there is none, what `gx` opens elsewhere.
function M.open()
  local buf = vim.api.nvim_get_current_buf()
  local client = server.client(buf)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local text = vim.api.nvim_get_current_line()
  local params = { textDocument = { uri = vim.uri_from_bufnr(buf) } }
  local answer = client and client:request_sync('textDocument/documentLink', params, 2000, buf)
  for _, link in ipairs(answer and answer.result or {}) do
    local first, last = link.range.start, link.range['end']
    if first.line == row - 1 then
      local from = vim.str_byteindex(text, client.offset_encoding, first.character, false)
      local to = vim.str_byteindex(text, client.offset_encoding, last.character, false)
      if column >= from and column < to then
        go(link.target)
        return
      end
    end
  end
  vim.ui.open(vim.fn.expand('<cfile>'))
end

return M
