--- Gives the files that the server takes for templates the filetype `yaml.aj`.

vim.filetype.add({
  pattern = {
    ['.*'] = {
      function(path, buf)
        return require('aj.detect').filetype(path, buf)
      end,
      { priority = 10 },
    },
  },
})
