// Makes the package from what is built: licence, notices of what is bundled, and vsce. package.mjs OUT.vsix
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { bundle } from './esbuild.mjs'

const here = import.meta.dirname
const [out] = process.argv.slice(2)

const inputs = await bundle({ testing: false })
fs.copyFileSync(path.join(here, '../LICENSE'), path.join(here, 'LICENSE'))
fs.writeFileSync(path.join(here, 'ThirdPartyNotices.txt'), notices(inputs))
const vsce = path.join(here, 'node_modules/@vscode/vsce/vsce')
const flags = ['--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links', '--skip-license']
execFileSync(process.execPath, [vsce, 'package', ...flags, '--out', path.resolve(out)], {
  cwd: here,
  stdio: ['ignore', 'inherit', 'inherit'],
})

/** The licences of the packages that files of the bundle come from. */
function notices(files) {
  const folders = new Set(files.flatMap((each) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(each)?.[1] ?? []))
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(fs.readFileSync(path.join(here, folder, 'package.json'), 'utf8'))
    const file = fs.readdirSync(path.join(here, folder)).find((each) => /^licen[cs]e/i.test(each))
    if (file === undefined) {
      throw new Error(`${folder} has no licence file: it cannot be bundled`)
    }
    return `${name} ${version} (${license})\n\n${fs.readFileSync(path.join(here, folder, file), 'utf8').trim()}\n`
  })
  const rule = `\n${'-'.repeat(80)}\n\n`
  return ['The extension holds code of the packages below, under their licences.\n', ...texts].join(rule)
}
