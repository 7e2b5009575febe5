import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** A copy of the lockfile that what is installed was made from. */
const INSTALLED = 'node_modules/.installed';

/**
 * Makes sure that the packages of a folder with a `package.json` of its own are installed: those that few tests or only
 * long runs need, and that would triple `npm ci`. Returns the path of the folder. What installs at the same time does so
 * beside it, and the first one to end wins.
 */
export async function ensureTools(folder: string): Promise<string> {
  const path = resolve(folder);
  if (await isInstalled(path)) return path;
  const unfinished = await mkdtemp(join(path, '.installing-'));
  try {
    for (const name of ['package.json', 'package-lock.json']) {
      await copyFile(join(path, name), join(unfinished, name));
    }
    await install(unfinished);
    // npm makes none where no package is for this platform.
    await mkdir(join(unfinished, 'node_modules'), { recursive: true });
    await copyFile(join(unfinished, 'package-lock.json'), join(unfinished, INSTALLED));
    if (await isInstalled(path)) return path;
    // What an older lockfile made.
    await rename(join(path, 'node_modules'), join(unfinished, 'outdated')).catch(() => undefined);
    await rename(join(unfinished, 'node_modules'), join(path, 'node_modules'));
  } catch (error) {
    if (!(await isInstalled(path))) throw error;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return path;
}

async function isInstalled(path: string): Promise<boolean> {
  const [locked, installed] = await Promise.all(
    ['package-lock.json', INSTALLED].map((name) => readFile(join(path, name), 'utf8').catch(() => undefined)),
  );
  return installed !== undefined && installed === locked;
}

async function install(path: string): Promise<void> {
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const child = spawn('npm', args, { cwd: path, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`npm ci in ${path} ended with ${code}.`);
}
