--- Which files are templates: those that the server answers for, by the same rules.

local M = {}

local HOME_NAMES = { '.aj', '.azure_jobs' }
local MODELINE = '^#%s*aj:%s*template%s*$'

---@param folder string
---@return boolean
local function is_folder(folder)
  return vim.fn.isdirectory(folder) == 1
end

--- The nearest folder above a path that is an AJ_HOME, or has one beside the path.
---@param path string
---@return string?
local function home_above(path)
  for folder in vim.fs.parents(path) do
    if vim.list_contains(HOME_NAMES, vim.fs.basename(folder)) then
      return folder
    end
    for _, name in ipairs(HOME_NAMES) do
      local home = vim.fs.joinpath(folder, name)
      if is_folder(home) then
        return home
      end
    end
  end
end

--- The AJ_HOME of a path: the setting `aj.home`, else the environment variable, else the nearest folder above.
---@param path string
---@return string?
function M.home(path)
  local set = vim.tbl_get(vim.lsp.config, 'aj', 'settings', 'aj', 'home') or vim.env.AJ_HOME
  if set and set ~= '' then
    return vim.fs.normalize(set)
  end
  return home_above(path)
end

--- The globs of `templates` in the aj.toml of a home.
---@param home string
---@return string[]
local function globs(home)
  local file = io.open(vim.fs.joinpath(home, 'aj.toml'))
  if not file then
    return {}
  end
  local text = '\n' .. file:read('a')
  file:close()
  local found = {}
  for _, glob in (text:match('\n%s*templates%s*=%s*(%b[])') or ''):gmatch([[(["'])(.-)%1]]) do
    found[#found + 1] = glob
  end
  return found
end

--- Whether a path fits a glob, step by step: `*` stays in one folder, `**` is any number of folders.
---@param path string[]
---@param glob string[]
---@return boolean
local function fits(path, glob)
  if #glob == 0 then
    return #path == 0
  end
  local rest = vim.list_slice(glob, 2)
  if glob[1] == '**' then
    return fits(path, rest) or (#path > 0 and fits(vim.list_slice(path, 2), glob))
  end
  return #path > 0
    and vim.fn.match(path[1], vim.fn.glob2regpat(glob[1])) >= 0
    and fits(vim.list_slice(path, 2), rest)
end

--- The filetype of a file: `yaml.aj` for a template, nil for what is none of aj's business.
---@param path string
---@param buf integer
---@return string?
function M.filetype(path, buf)
  local first = vim.api.nvim_buf_get_lines(buf, 0, 1, false)[1] or ''
  if first:match(MODELINE) then
    return 'yaml.aj'
  end
  if not path:match('%.ya?ml$') then
    return nil
  end
  local home = M.home(path)
  if not home then
    return nil
  end
  if vim.startswith(path, home .. '/') then
    return 'yaml.aj'
  end
  local project = vim.fs.dirname(home) .. '/'
  if not vim.startswith(path, project) then
    return nil
  end
  local inside = path:sub(#project + 1)
  for _, glob in ipairs(globs(home)) do
    if fits(vim.split(inside, '/'), vim.split(vim.fs.normalize(glob), '/')) then
      return 'yaml.aj'
    end
  end
end

return M
