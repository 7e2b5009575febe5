import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/** Packs the package of a source folder, and installs the tarball, and it alone, in another folder. */
export async function installTarball(source: string, folder: string): Promise<Packed> {
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [packed] = JSON.parse(succeed('npm', pack, source)) as [Packed];
  const installed = join(folder, 'node_modules', packed.name);
  await mkdir(installed, { recursive: true });
  succeed('tar', ['-xzf', join(folder, packed.filename), '-C', installed, '--strip-components=1'], folder);
  return packed;
}

function succeed(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** A folder with the packages of service and client from their tarballs, beside what they depend on, as another team has it. */
export class InstalledPackage {
  private constructor(
    readonly folder: string,
    /** What the tarball of the service has. */
    readonly packed: Packed,
    /** The program of the package. */
    readonly entry: string,
  ) {}

  static async install(): Promise<InstalledPackage> {
    const folder = await mkdtemp(join(tmpdir(), 'tradepost-package-'));
    const packed = await installTarball('.', folder);
    await installTarball('packages/client', folder);
    const modules = join(folder, 'node_modules');
    const installed = join(modules, packed.name);
    for (const name of await readdir('node_modules')) {
      if (!/^\.|^tradepost$|^@tradepost$/.test(name)) {
        await symlink(resolve('node_modules', name), join(modules, name));
      }
    }
    const { bin } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
      bin: { tradepost: string };
    };
    const entry = join(installed, bin.tradepost);
    await chmod(entry, 0o755);
    await mkdir(join(modules, '.bin'));
    await symlink(entry, join(modules, '.bin', 'tradepost'));
    await symlink(resolve('node_modules/typescript/bin/tsc'), join(modules, '.bin', 'tsc'));
    await writeFile(join(folder, 'package.json'), '{"type": "module", "private": true}');
    return new InstalledPackage(folder, packed, entry);
  }

  /** Runs a program of the packages, with what an outside team has in its environment. */
  run(
    program: string,
    args: readonly string[],
    cwd = this.folder,
  ): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
    const own = Object.entries(process.env).filter(([name]) => !/^(?:npm_|NODE_|VITEST)/i.test(name));
    const env = {
      ...Object.fromEntries(own),
      PATH: `${join(this.folder, 'node_modules/.bin')}:${process.env['PATH']}`,
    };
    return spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
