// Bundles the extension into out/extension.js, and with --test the tests into out/test/.
import { build } from 'esbuild'

const testing = process.argv.includes('--test')
const common = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['vscode', 'mocha'],
  // The node build of the protocol packages has plain requires; their "module" field points elsewhere.
  mainFields: ['main'],
  legalComments: 'none',
  logLevel: 'warning',
}

await build({
  ...common,
  entryPoints: ['src/extension.ts'],
  outfile: 'out/extension.js',
  minify: !testing,
  metafile: true,
})
await build({
  bundle: true,
  platform: 'browser',
  format: 'iife',
  target: 'es2022',
  minify: !testing,
  legalComments: 'none',
  logLevel: 'warning',
  entryPoints: ['src/views/graph/page/main.ts'],
  outfile: 'out/graph.js',
})
if (testing) {
  await build({ ...common, entryPoints: ['test/index.ts'], outfile: 'out/test/index.js', sourcemap: 'inline' })
}
