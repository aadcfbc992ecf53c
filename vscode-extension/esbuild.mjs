// Bundles the extension into out/: node esbuild.mjs, and with --test the tests too.
import { build } from 'esbuild'
import { pathToFileURL } from 'node:url'

const common = { bundle: true, legalComments: 'none', logLevel: 'warning', metafile: true }
const host = {
  ...common,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['vscode', 'mocha'],
  // The node build of the protocol packages has plain requires; their "module" field points elsewhere.
  mainFields: ['main'],
}
const page = { ...common, platform: 'browser', format: 'iife', target: 'es2022' }

/** Builds everything; the files that went into what is shipped. */
export async function bundle({ testing }) {
  const minify = !testing
  const built = await Promise.all([
    build({ ...host, minify, entryPoints: ['src/extension.ts'], outfile: 'out/extension.js' }),
    build({ ...page, minify, entryPoints: ['src/views/graph/page/main.ts'], outfile: 'out/graph.js' }),
  ])
  if (testing) {
    const entryPoints = ['test/index.ts', 'test/plain.ts']
    await build({ ...host, entryPoints, outdir: 'out/test', sourcemap: 'inline' })
  }
  return built.flatMap((each) => Object.keys(each.metafile.inputs))
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await bundle({ testing: process.argv.includes('--test') })
}
