// The rules for the extension's code; the one seam to the editor is held here too.
import js from '@eslint/js'
import ts from 'typescript-eslint'

const seam = {
  paths: [{ name: 'vscode', message: 'Only src/editor.ts speaks to the editor: import from there.' }],
}

export default ts.config(
  { ignores: ['out/', 'wheel/', 'node_modules/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [ts.configs.strictTypeChecked, ts.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-restricted-imports': ['error', seam],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      'max-lines': ['error', 400],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: ['src/editor.ts', 'test/**/*.ts'],
    rules: { '@typescript-eslint/no-restricted-imports': 'off' },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', Buffer: 'readonly' } },
  },
)
