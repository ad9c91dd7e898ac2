// `npm run build`: compiles src/ to dist/ for publishing. Starts from an empty dist/, so that the package holds
// what the sources say and nothing older.

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
rmSync(join(root, 'dist'), { recursive: true, force: true });
const compiler = spawnSync('tsc', ['--project', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
process.exitCode = compiler.status ?? 1;
