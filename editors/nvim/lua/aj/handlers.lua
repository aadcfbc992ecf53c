--- What the server asks of an editor that Neovim 0.11 does not answer by itself.

local M = {}

--- What Neovim can do with this plugin, beyond what it says of itself.
M.capabilities = {
  workspace = {
    codeLens = { refreshSupport = true },
    fileOperations = { willRename = true, didRename = true },
    textDocumentContent = { dynamicRegistration = false },
  },
  textDocument = {
    -- Pushed problems cover the bases that are not open too, and come at once when a base changes.
    diagnostic = false,
  },
}

---@type table<string, lsp.Handler>
M.requests = {
  ['workspace/codeLens/refresh'] = function(_, _, context)
    local client = vim.lsp.get_client_by_id(context.client_id)
    for buf in pairs(client and client.attached_buffers or {}) do
      if vim.bo[buf].buftype == '' then
        vim.lsp.codelens.refresh({ bufnr = buf })
      end
    end
    return vim.NIL
  end,
  ['workspace/textDocumentContent/refresh'] = function(_, params)
    require('aj.preview').refresh(params.uri)
    return vim.NIL
  end,
}

--- What the code lenses of the server do here.
---@type table<string, fun(command: lsp.Command, context: table)>
M.commands = {
  ['aj.preview'] = function()
    require('aj.preview').open('spec', '', false)
  end,
  ['aj.submit'] = function()
    require('aj.submit').start('')
  end,
  ['aj.bases'] = function()
    require('aj.family').bases()
  end,
  ['aj.dependents'] = function(command)
    require('aj.family').dependents(command.arguments[2])
  end,
  ['aj.impact'] = function()
    require('aj.compare').impact('')
  end,
}

return M
