--- Previews: read-only buffers `aj-preview://…` that the server writes, kept fresh while any template of the chain is
--- typed, with ways from each of their lines to the line that wrote it and back.

local server = require('aj.server')

local M = {}

local CONTENT = 'workspace/textDocumentContent'
local TITLES = { spec = 'JobSpec', merged = 'Merged config', amlt = 'amlt file' }
local FILETYPES = { spec = 'jsonc', merged = 'yaml', amlt = 'yaml' }
local REVEAL_PAUSE = 80

local here = vim.api.nvim_create_namespace('aj.preview.here')
local fresh = vim.api.nvim_create_namespace('aj.preview.fresh')
local timer = assert(vim.uv.new_timer())

---@class aj.Preview
---@field uri string
---@field kind 'spec'|'merged'|'amlt'
---@field template string the URI of the template
---@field request aj.Request what it is drawn for
---@field line string the same, as it was typed

local known = {} ---@type table<string, aj.Preview>

--- Replace the lines of a buffer that differ, so that cursors and windows stay where they are; the first and last line
--- that are new, from zero.
---@param buf integer
---@param lines string[]
---@return integer?, integer?
local function replace(buf, lines)
  local old = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  local first, last_old, last_new = 1, #old, #lines
  while first <= last_old and first <= last_new and old[first] == lines[first] do
    first = first + 1
  end
  while last_old >= first and last_new >= first and old[last_old] == lines[last_new] do
    last_old, last_new = last_old - 1, last_new - 1
  end
  if first > last_old and first > last_new then
    return
  end
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, first - 1, last_old, false, vim.list_slice(lines, first, last_new))
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
  return first - 1, last_new - 1
end

--- Show for a moment which lines have changed.
---@param buf integer
---@param first integer
---@param last integer
local function flash(buf, first, last)
  vim.hl.range(buf, fresh, 'AjPreviewChanged', { first, 0 }, { last, -1 }, { regtype = 'V', timeout = 900 })
end

--- Take the text of a preview from the server.
---@param buf integer
local function load(buf)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return -- it was closed while the server was asked for something else
  end
  local uri = vim.api.nvim_buf_get_name(buf)
  server.ask(buf, CONTENT, { uri = uri }, function(answer)
    if not vim.api.nvim_buf_is_loaded(buf) then
      return
    end
    local was_empty = vim.api.nvim_buf_line_count(buf) == 1 and vim.api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ''
    local first, last = replace(buf, vim.split((answer.text:gsub('\n$', '')), '\n', { plain = true }))
    if first and last and last >= first and not was_empty then
      flash(buf, first, last)
    end
  end)
end

--- The buffer of a preview, nil where it is not shown.
---@param uri string
---@return integer?
local function buffer_of(uri)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_name(buf) == uri then
      return buf
    end
  end
end

--- The preview in a buffer.
---@param buf integer
---@return aj.Preview?
function M.of(buf)
  return known[vim.api.nvim_buf_get_name(buf)]
end

--- The template that a buffer is about: its own, or that of the preview in it.
---@param buf integer
---@return string uri
function M.template(buf)
  local preview = M.of(buf)
  if preview then
    return preview.template
  end
  local served = vim.lsp.get_clients({ name = server.NAME, bufnr = buf })
  if vim.bo[buf].filetype ~= server.FILETYPE and #served == 0 then
    error('this buffer is no template', 0)
  end
  if vim.api.nvim_buf_get_name(buf) == '' then
    error('this buffer has no file yet: :write it first', 0)
  end
  return vim.uri_from_bufnr(buf)
end

--- The window of the template of a preview, else any window of a file.
---@param preview aj.Preview?
---@return integer?
local function source_window(preview)
  local other ---@type integer?
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buf = vim.api.nvim_win_get_buf(win)
    if preview and vim.uri_from_bufnr(buf) == preview.template then
      return win
    end
    if vim.bo[buf].buftype == '' and vim.api.nvim_win_get_config(win).relative == '' then
      other = other or win
    end
  end
  return other
end

--- From the preview to the line that wrote what is under the cursor, in the window of the template.
function M.to_source()
  local buf = vim.api.nvim_get_current_buf()
  local client = server.client(buf)
  local preview = M.of(buf)
  local params = client and vim.lsp.util.make_position_params(0, client.offset_encoding) or {}
  server.ask(buf, 'textDocument/definition', params, function(answer, answered)
    local place = answer[1]
    if not place then
      server.say('nothing wrote this: it is a default, or from the command line')
      return
    end
    local win = source_window(preview)
    if win then
      vim.api.nvim_set_current_win(win)
    else
      vim.cmd('leftabove vsplit')
    end
    vim.lsp.util.show_document(place, answered.offset_encoding, { focus = true })
  end)
end

---@param buf integer
local function keys(buf)
  vim.keymap.set('n', '<CR>', M.to_source, { buffer = buf, desc = 'aj: go to the line that wrote this' })
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, desc = 'aj: close the preview' })
end

--- Fill a buffer whose name is the URI of a preview (`BufReadCmd`).
---@param buf integer
function M.read(buf)
  local kind = vim.api.nvim_buf_get_name(buf):match('^aj%-preview://(%w+)/')
  local preview = M.of(buf)
  vim.bo[buf].buftype = 'nofile'
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].swapfile = false
  vim.bo[buf].undolevels = -1
  vim.bo[buf].modifiable = false
  local client = server.client(preview and vim.uri_to_bufnr(preview.template))
  if client then
    vim.lsp.buf_attach_client(buf, client.id)
  end
  vim.bo[buf].filetype = FILETYPES[kind] or 'yaml'
  keys(buf)
  load(buf)
end

--- What stands above a preview.
---@param preview aj.Preview
---@return string
local function bar(preview)
  local name = vim.fn.fnamemodify(vim.uri_to_fname(preview.template), ':t:r')
  local asked = preview.line ~= '' and ('  ' .. preview.line) or ''
  return ('%%#Title# %s of %s%%*%s%%=<CR> source  q close '):format(TITLES[preview.kind], name, asked:gsub('%%', '%%%%'))
end

--- Show a preview of the template in the current buffer beside it; the cursor stays.
---@param kind 'spec'|'merged'|'amlt'
---@param line string options as of `aj run`; empty: those of the last time
---@param anew boolean forget the options of the last time
function M.open(kind, line, anew)
  local buf = vim.api.nvim_get_current_buf()
  local template = M.template(buf)
  local arguments = { uri = template, kind = kind }
  local request ---@type aj.Request?
  if line ~= '' or anew then
    request = require('aj.request').parse(line)
    arguments.request = next(request) and request or vim.empty_dict()
  end
  server.run(buf, 'aj.preview', arguments, function(answer)
    local uri = answer.uri
    local before = known[uri]
    local preview = {
      uri = uri,
      kind = kind,
      template = template,
      request = request or (before and before.request) or {},
      line = request and line or (before and before.line) or '',
    }
    known[uri] = preview
    local shown = buffer_of(uri)
    local win = shown and vim.fn.bufwinid(shown) or -1
    if shown and win ~= -1 then
      load(shown)
    else
      shown = shown or vim.fn.bufadd(uri)
      win = vim.api.nvim_open_win(shown, false, { split = 'right', win = source_window(preview) or 0 })
      vim.wo[win].number = false
      vim.wo[win].relativenumber = false
      vim.wo[win].signcolumn = 'no'
      vim.wo[win].wrap = true
      vim.wo[win].breakindent = true
    end
    vim.wo[win].winbar = bar(preview)
  end)
end

--- The server says that a preview has another text now.
---@param uri string
function M.refresh(uri)
  local buf = buffer_of(uri)
  if buf then
    load(buf)
  end
end

--- A server has started: previews that another one wrote are its own from now on.
---@param client vim.lsp.Client
function M.adopt(client)
  for uri, preview in pairs(known) do
    local buf = buffer_of(uri)
    if buf and not vim.lsp.buf_is_attached(buf, client.id) then
      vim.lsp.buf_attach_client(buf, client.id)
      local request = next(preview.request) and preview.request or vim.empty_dict()
      server.run(buf, 'aj.preview', { uri = preview.template, kind = preview.kind, request = request }, function()
        load(buf)
      end)
    end
  end
end

--- Show in a preview where the key under the cursor of a template ended up.
---@param buf integer
---@param win integer the window of the preview
---@param position lsp.Position
local function reveal(buf, win, position)
  local shown = vim.api.nvim_win_get_buf(win)
  local uri = vim.api.nvim_buf_get_name(shown)
  local arguments = { uri = vim.uri_from_bufnr(buf), position = position, preview = uri }
  server.run(buf, 'aj.revealInPreview', arguments, function(answer)
    if not (vim.api.nvim_win_is_valid(win) and vim.api.nvim_buf_is_valid(shown)) then
      return
    end
    if vim.api.nvim_get_current_win() == win then
      return -- the person has gone there meanwhile: their cursor stays where it is
    end
    vim.api.nvim_buf_clear_namespace(shown, here, 0, -1)
    local line = answer.range ~= vim.NIL and answer.range and answer.range.start.line
    if line and line < vim.api.nvim_buf_line_count(shown) then
      vim.api.nvim_buf_set_extmark(shown, here, line, 0, { line_hl_group = 'AjPreviewHere' })
      vim.api.nvim_win_set_cursor(win, { line + 1, 0 })
    end
  end, function()
    return true -- the preview is of another template
  end)
end

--- Have every preview in sight follow the cursor of a template.
---@param buf integer
function M.follow(buf)
  timer:start(
    REVEAL_PAUSE,
    0,
    vim.schedule_wrap(function()
      local client = server.client(buf)
      if vim.api.nvim_get_current_buf() ~= buf or not client then
        return
      end
      local position = vim.lsp.util.make_position_params(0, client.offset_encoding).position
      for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
        if M.of(vim.api.nvim_win_get_buf(win)) then
          reveal(buf, win, position)
        end
      end
    end)
  )
end

return M
