/**
 * Bundles the page into dist/, which is kept in the repository so that building Tumble needs no node. With --check it
 * writes nothing and fails if dist/ is not what the source gives.
 */

import { build } from 'esbuild';
import { readFile, writeFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const bundled = await build({
    absWorkingDir: root,
    entryPoints: ['src/main.js'],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    // The notice of three.js stays in the bundle.
    legalComments: 'inline',
    write: false,
    outfile: 'dist/viewer.js',
});
const style = await build({ absWorkingDir: root, entryPoints: ['src/page/viewer.css'], minify: true, write: false, outfile: 'dist/viewer.css' });

/** @type {[string, Uint8Array][]} */
const files = [
    ['viewer.js', bundled.outputFiles[0].contents],
    ['viewer.css', style.outputFiles[0].contents],
    ['index.html', await readFile(join(root, 'src/page/index.html'))],
    ['viewer.svg', await readFile(join(root, 'src/page/viewer.svg'))],
];
let stale = 0;
await mkdir(join(root, 'dist'), { recursive: true });
for (const [name, content] of files) {
    const path = join(root, 'dist', name);
    if (process.argv.includes('--check')) {
        const kept = await readFile(path).catch(() => Buffer.alloc(0));
        if (Buffer.compare(kept, Buffer.from(content)) !== 0) {
            console.error(`viewer/dist/${name} is not what the source gives: run \`npm run build\` in viewer/`);
            stale += 1;
        }
    } else {
        await writeFile(path, content);
    }
}
process.exitCode = stale > 0 ? 1 : 0;
