import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { StartRefusal } from '../kit/config/start-refusal.js';
import { isPluginName, PLUGIN_NAME_RULE } from '../kit/module/plugin-name.js';

/** The template is a plugin of its own, which lint and the compiler check with the service. */
const TEMPLATE_NAME = 'acme-loyalty';
/** Names that npm or the service give another meaning. */
const RESERVED = new Set([packageJson.name, 'node-modules', 'favicon-ico', ...builtinModules]);

/**
 * Writes a plugin that is ready to build, test and run into the folder of its name in `parent`, and returns that folder.
 * Throws a StartRefusal for a name that no plugin may have, and where the folder has something in it.
 */
export async function newPlugin(name: string, parent: string, template: string): Promise<string> {
  if (!isPluginName(name)) {
    throw new StartRefusal(`"${name}" is no name for a plugin: it is ${PLUGIN_NAME_RULE}.`);
  }
  if (RESERVED.has(name)) throw new StartRefusal(`"${name}" is a reserved name: choose another.`);
  const folder = resolve(parent, name);
  await requireEmpty(folder);
  const manifest = join(resolve(parent), 'package.json');
  const withPlugin = await withWorkspace(manifest, name);
  const files = await readdir(template, { recursive: true, withFileTypes: true });
  for (const file of files) {
    if (!file.isFile()) continue;
    const from = join(file.parentPath, file.name);
    // npm would leave out or act upon files of these names in its own package.
    const named = file.name.replace(/^_git/, '.git').replace(/^_/, '');
    const to = join(folder, relative(template, file.parentPath), named);
    await mkdir(dirname(to), { recursive: true });
    const text = renamed(await readFile(from, 'utf8'), name);
    await writeFile(to, file.name === '_package.json' ? withVersions(text) : text, { flag: 'wx' });
  }
  await writeFile(manifest, withPlugin);
  return folder;
}

/**
 * The text of the package in `path`, or of a new one, with the plugin as a workspace: so npm brings what compiles it, and
 * finds the service for it where that is installed.
 */
async function withWorkspace(path: string, name: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{ "private": true }';
    throw new StartRefusal(`${path} cannot be read: ${error.code}.`, { cause: error });
  });
  const manifest = parsed(text);
  const { workspaces = [] } = manifest ?? { workspaces: null };
  if (!Array.isArray(workspaces)) {
    throw new StartRefusal(`${path} must be JSON whose "workspaces", if it has any, are a list.`);
  }
  const listed: readonly unknown[] = workspaces;
  const all = listed.includes(name) ? listed : [...listed, name];
  return `${JSON.stringify({ ...manifest, workspaces: all }, null, 2)}\n`;
}

/** Null for what is no object. */
function parsed(text: string): { readonly workspaces?: unknown } | null {
  try {
    const manifest: unknown = JSON.parse(text);
    return typeof manifest === 'object' ? manifest : null;
  } catch {
    return null;
  }
}

async function requireEmpty(folder: string): Promise<void> {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new StartRefusal(`${folder} cannot be written to: ${error.code}.`, { cause: error });
  });
  if (found.length > 0) throw new StartRefusal(`${folder} is not empty: choose another name, or remove it.`);
}

/** The template with the plugin's name in place of its own, in every form that names take. */
function renamed(text: string, name: string): string {
  const forms: readonly ((words: string) => string)[] = [
    (words) => words,
    (words) => words.replaceAll('-', '_'),
    (words) => words.replaceAll('-', '_').toUpperCase(),
    (words) => words.replaceAll(/(?:^|-)(.)/g, (_, first: string) => first.toUpperCase()),
  ];
  const named = forms.reduce((done, form) => done.replaceAll(form(TEMPLATE_NAME), form(name)), text);
  return named.replace(/(compatibility: ')[^']*/, `$1^${packageJson.version}`);
}

/** The versions that the service itself is made and tested with. */
function withVersions(text: string): string {
  const manifest = JSON.parse(text) as Record<'peerDependencies' | 'devDependencies', Record<string, string>>;
  const versions: Readonly<Record<string, string>> = {
    ...packageJson.devDependencies,
    ...packageJson.dependencies,
    [packageJson.name]: `^${packageJson.version}`,
  };
  for (const dependencies of [manifest.peerDependencies, manifest.devDependencies]) {
    for (const name of Object.keys(dependencies)) dependencies[name] = versions[name] ?? '*';
  }
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
