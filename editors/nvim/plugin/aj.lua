--- Job templates in Neovim: starts `aj lsp` for them, and adds the command `:Aj`. See `:help aj`.

if vim.g.loaded_aj then
  return
end
vim.g.loaded_aj = true

if vim.fn.has('nvim-0.11') == 0 then
  vim.notify('aj: Neovim 0.11 or newer is needed', vim.log.levels.ERROR)
  return
end

local handlers = require('aj.handlers')

vim.lsp.config('aj', {
  capabilities = handlers.capabilities,
  handlers = handlers.requests,
  commands = handlers.commands,
  on_exit = function(code, signal)
    require('aj.server').ended(code, signal)
  end,
})

vim.api.nvim_set_hl(0, 'AjPreviewHere', { link = 'CursorLine', default = true })
vim.api.nvim_set_hl(0, 'AjPreviewChanged', { link = 'DiffText', default = true })

local group = vim.api.nvim_create_augroup('aj', {})

vim.api.nvim_create_autocmd('FileType', {
  group = group,
  pattern = 'yaml.aj',
  callback = function()
    local attach = require('aj.attach')
    if attach.option('enable', true) and not vim.lsp.is_enabled('aj') then
      vim.schedule(require('aj.server').enable)
    end
  end,
})

vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client then
      require('aj.attach').attached(event.buf, client)
    end
  end,
})

vim.api.nvim_create_autocmd('LspDetach', {
  group = group,
  callback = function(event)
    require('aj.attach').detached(event.buf, vim.lsp.get_client_by_id(event.data.client_id))
  end,
})

vim.api.nvim_create_autocmd('BufReadCmd', {
  group = group,
  pattern = 'aj-preview://*',
  callback = function(event)
    require('aj.preview').read(event.buf)
  end,
})

vim.api.nvim_create_user_command('Aj', function(given)
  require('aj.commands').run(given.args, given.bang)
end, {
  nargs = '+',
  bang = true,
  desc = 'Job templates: previews, submission, inheritance',
  complete = function(lead, line)
    return require('aj.commands').complete(lead, line)
  end,
})
