--- Who extends whom, in the quickfix list.

local server = require('aj.server')
local preview = require('aj.preview')

local M = {}

--- The text of quickfix entries shows structure, so it stands first and keeps its spaces.
---@param info { id: integer, start_idx: integer, end_idx: integer }
---@return string[]
function M.text(info)
  local items = vim.fn.getqflist({ id = info.id, items = 0 }).items
  local lines = {}
  for at = info.start_idx, info.end_idx do
    local item = items[at]
    local place = item.bufnr > 0 and vim.fn.fnamemodify(vim.api.nvim_buf_get_name(item.bufnr), ':~:.') or ''
    local line = item.lnum > 0 and (':%d'):format(item.lnum) or ''
    lines[#lines + 1] = ('%s  │ %s%s'):format(item.text, place, line)
  end
  return lines
end

--- Put entries into the quickfix list and show it. The first columns are made equally wide.
---@param title string
---@param items table[] with `text` and `note`
---@param nothing string
local function show(title, items, nothing)
  if #items == 0 then
    server.say(nothing)
    return
  end
  local widest, noted = 0, 0
  for _, item in ipairs(items) do
    widest = math.max(widest, vim.fn.strdisplaywidth(item.text))
    noted = math.max(noted, vim.fn.strdisplaywidth(item.note or ''))
  end
  for _, item in ipairs(items) do
    local note = item.note or ''
    local gap = (' '):rep(widest - vim.fn.strdisplaywidth(item.text))
    local rest = (' '):rep(noted - vim.fn.strdisplaywidth(note))
    item.text = item.text .. gap .. (noted > 0 and ('  ' .. note .. rest) or '')
    item.note = nil
  end
  vim.fn.setqflist({}, ' ', { title = title, items = items, quickfixtextfunc = "v:lua.require'aj.family'.text" })
  vim.cmd(('botright copen %d'):format(math.min(#items, 12)))
end

---@param uri any
---@return string?
local function file(uri)
  return type(uri) == 'string' and vim.uri_to_fname(uri) or nil
end

---@param range any
---@return integer line, integer column
local function start(range)
  if type(range) ~= 'table' then
    return 1, 1
  end
  return range.start.line + 1, range.start.character + 1
end

---@param count integer
---@param word string
---@return string
local function counted(count, word)
  return count > 0 and ('%d %s%s'):format(count, word, count > 1 and 's' or '') or ''
end

---@param ... string
---@return string
local function joined(...)
  local words = vim.tbl_filter(function(each)
    return each ~= ''
  end, { ... })
  return table.concat(words, ', ')
end

--- What a template extends, as a tree; every entry leads to the base.
function M.bases()
  local buf = vim.api.nvim_get_current_buf()
  server.run(buf, 'aj.bases', { uri = preview.template(buf) }, function(answer)
    local items = {}
    local function add(node, lead, mark)
      local note = node.missing and 'not found'
        or node.cycle and 'extends itself'
        or node.again and 'as above'
        or joined(table.concat(node.keys or {}, ' '), counted(node.errors or 0, 'error'))
      items[#items + 1] = { filename = file(node.uri), lnum = 1, text = lead .. mark .. node.name, note = note }
      local below = mark == '' and lead or lead .. (mark == '└─ ' and '   ' or '│  ')
      for at, base in ipairs(node.bases) do
        add(base, below, at == #node.bases and '└─ ' or '├─ ')
      end
    end
    add(answer.root, '', '')
    show('Bases of ' .. answer.root.name, items, 'it extends nothing')
  end)
end

--- What extends a template; with a key path, and whether its value counts there.
---@param keypath? string
function M.dependents(keypath)
  local buf = vim.api.nvim_get_current_buf()
  local arguments = { uri = preview.template(buf), keypath = keypath }
  server.run(buf, 'aj.dependents', arguments, function(answer)
    local items = {}
    for _, each in ipairs(answer.dependents) do
      local winner = type(each.winner) == 'table' and each.winner or nil
      local lnum, col = start(winner and winner.range)
      items[#items + 1] = {
        filename = file(winner and winner.uri or each.uri),
        lnum = lnum,
        col = col,
        text = each.name,
        note = joined(each.leaf and 'leaf' or 'base', each.direct and '' or 'indirectly', each.standing or ''),
      }
    end
    local title = keypath and ('Templates under ' .. keypath) or 'Templates that extend this one'
    show(title, items, 'nothing extends this template')
  end)
end

--- Every template of the AJ_HOME, leaves first, with what it extends.
function M.graph()
  local buf = vim.api.nvim_get_current_buf()
  local _, uri = pcall(preview.template, buf)
  local known = vim.startswith(uri, 'file:') and uri or nil -- elsewhere it is the only home there is
  server.run(buf, 'aj.graph', { uri = known }, function(answer)
    local extends = vim.defaulttable(function()
      return {}
    end)
    for _, edge in ipairs(answer.edges) do
      table.insert(extends[edge.from], edge.to)
    end
    local items = {}
    for _, leaves in ipairs({ true, false }) do
      for _, node in ipairs(answer.nodes) do
        if node.leaf == leaves then
          local bases = table.concat(extends[node.name], ', ')
          local service = type(node.service) == 'string' and node.leaf and node.service or ''
          items[#items + 1] = {
            filename = file(node.uri),
            lnum = 1,
            text = node.name .. (bases ~= '' and (' → ' .. bases) or ''),
            note = joined(service, counted(node.errors, 'error'), counted(node.warnings, 'warning')),
            type = node.errors > 0 and 'E' or node.warnings > 0 and 'W' or '',
          }
        end
      end
    end
    show('Templates of ' .. vim.fn.fnamemodify(answer.home.path, ':~:.'), items, 'there are no templates')
  end)
end

return M
