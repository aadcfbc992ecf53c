--- How Neovim starts the language server of aj. It needs nothing else of this plugin: copied into any `lsp/` folder of
--- the runtime path it serves the buffers whose filetype is `yaml.aj`.

---@type vim.lsp.Config
return {
  cmd = { 'aj', 'lsp' },
  filetypes = { 'yaml.aj' },
  root_markers = { { '.aj', '.azure_jobs' }, '.git' },
  get_language_id = function()
    return 'aj-template' -- whatever the buffer's path: its filetype says that it is a template
  end,
}
