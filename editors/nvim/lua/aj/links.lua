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

--- The target of the link at a place; nil where there is none.
---@param links lsp.DocumentLink[]
---@param row integer from one
---@param column integer in bytes, from zero
---@param text string the line
---@param encoding string
---@return string?
local function target(links, row, column, text, encoding)
  for _, link in ipairs(links) do
    local first, last = link.range.start, link.range['end']
    if first.line == row - 1 then
      local from = vim.str_byteindex(text, encoding, first.character, false)
      local to = vim.str_byteindex(text, encoding, last.character, false)
      if column >= from and column < to then
        return link.target
      end
    end
  end
end

--- Open the link under the cursor; where there is none, what `gx` opens elsewhere.
function M.open()
  local buf = vim.api.nvim_get_current_buf()
  local client = server.client(buf)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local text = vim.api.nvim_get_current_line()
  local otherwise = vim.fn.expand('<cfile>')
  if not client then
    vim.ui.open(otherwise)
    return
  end
  local params = { textDocument = { uri = vim.uri_from_bufnr(buf) } }
  -- However long it takes: a link that was not answered yet would be taken for none, and something else be opened.
  client:request('textDocument/documentLink', params, function(error, links)
    local found = not error and target(links or {}, row, column, text, client.offset_encoding)
    if error then
      server.say(error.message, vim.log.levels.ERROR)
    elseif vim.api.nvim_get_current_buf() ~= buf then
      return -- the person has gone elsewhere meanwhile
    elseif found then
      go(found)
    else
      vim.ui.open(otherwise)
    end
  end, buf)
end

return M
