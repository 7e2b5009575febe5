import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

function pack(source: string, folder: string): Packed {
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [packed] = JSON.parse(succeed('npm', words, source)) as [Packed];
  return packed;
}

/** Packs service and client into a folder; returns the tarballs. */
export async function packTarballs(folder: string): Promise<string[]> {
  const source = join(folder, 'source');
  succeed(process.execPath, ['scripts/package.mjs', source], '.');
  const packed = [pack(source, folder), pack('packages/client', folder)];
  await rm(source, { recursive: true });
  return packed.map(({ filename }) => join(folder, filename));
}

/** Packs the package of a source folder, and installs the tarball, and it alone, in another folder. */
export async function installTarball(source: string, folder: string): Promise<Packed> {
  const packed = pack(source, folder);
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

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program in a folder with packages, with what an outside team has in its environment. */
export function runAsTeam(folder: string, program: string, args: readonly string[]): Ran {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|NODE_(?!EXTRA_CA_CERTS)|VITEST)/i.test(name),
  );
  const PATH = `${join(folder, 'node_modules/.bin')}:${process.env['PATH']}`;
  return spawnSync(program, args, {
    cwd: folder,
    env: { ...Object.fromEntries(own), PATH },
    encoding: 'utf8',
  });
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly bin: { readonly tradepost: string };
}

/** What npm installs with a plugin: what it shares with the service, and what compiles it. */
const OF_PLUGINS = ['@types/node', 'typescript'];

/**
 * Puts packages and what they depend on in a folder, as npm does. They are copied, so that they find no others; those that
 * depend on nothing are linked.
 */
async function provide(names: readonly string[], modules: string): Promise<void> {
  for (const name of names) {
    const [from, to] = [resolve('node_modules', name), join(modules, name)];
    // Some are for other platforms.
    if (existsSync(to) || !existsSync(from)) continue;
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
      await manifestOf(from);
    const peers = Object.keys(peerDependencies ?? {}).filter(
      (peer) => peerDependenciesMeta?.[peer]?.optional !== true,
    );
    const needed = [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
    await mkdir(dirname(to), { recursive: true });
    await (needed.length > 0 ? cp(from, to, { recursive: true }) : symlink(from, to));
    await provide(needed, modules);
  }
}

async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
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

  /** Without what comes with a plugin, where none is to be loaded. */
  static async install({ withPlugins = true } = {}): Promise<InstalledPackage> {
    const folder = await mkdtemp(join(tmpdir(), 'tradepost-package-'));
    const source = join(folder, 'source');
    succeed(process.execPath, ['scripts/package.mjs', source], '.');
    const packed = await installTarball(source, folder);
    await rm(source, { recursive: true });
    await installTarball('packages/client', folder);
    const modules = join(folder, 'node_modules');
    const installed = join(modules, packed.name);
    const { bin, dependencies, optionalDependencies, peerDependencies } = await manifestOf(installed);
    const ofClient = (await manifestOf('packages/client')).dependencies;
    const needed = {
      ...dependencies,
      ...optionalDependencies,
      ...ofClient,
      ...(withPlugins && peerDependencies),
    };
    await provide([...Object.keys(needed), ...(withPlugins ? OF_PLUGINS : [])], modules);
    const entry = join(installed, bin.tradepost);
    await chmod(entry, 0o755);
    await mkdir(join(modules, '.bin'));
    await symlink(entry, join(modules, '.bin', 'tradepost'));
    await symlink(resolve('node_modules/typescript/bin/tsc'), join(modules, '.bin', 'tsc'));
    await writeFile(join(folder, 'package.json'), '{"type": "module", "private": true}');
    return new InstalledPackage(folder, packed, entry);
  }

  /** As `runAsTeam`. */
  run(program: string, args: readonly string[]): Ran {
    return runAsTeam(this.folder, program, args);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
