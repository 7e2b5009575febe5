import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Who sees a page in the navigation and may open it; its routes are guarded by themselves. */
export const CONSOLE_AUDIENCES = ['everybody', 'users', 'operators'] as const;
export type ConsoleAudience = (typeof CONSOLE_AUDIENCES)[number];

export interface ConsolePageOptions {
  /** Such as `points`: lower-case words with hyphens between. The page is at `/console/plugins/<plugin>/points`. */
  readonly path: string;
  /** Its heading, and its name in the navigation. */
  readonly title: string;
  /** Pages for operators stand in the desk's navigation. */
  readonly audience: ConsoleAudience;
  /**
   * A module for browsers, in one file, whose default export is a `MountConsolePage` of `@tradepost/client`:
   * `new URL('./console/points.js', import.meta.url)`. Everybody can read it.
   */
  readonly script: URL;
  /** A style sheet that it needs besides the console's own. */
  readonly styles?: URL;
}

/** A page that a plugin adds to the console: declare it once, and list it in `consolePages` of the plugin. */
export class ConsolePage {
  readonly path: string;
  readonly title: string;
  readonly audience: ConsoleAudience;
  readonly script: URL;
  readonly styles: URL | undefined;

  constructor({ path, title, audience, script, styles }: ConsolePageOptions) {
    this.path = path;
    this.title = title;
    this.audience = audience;
    this.script = script;
    this.styles = styles;
  }

  /** What is wrong with it, as the end of "The page …"; null where nothing is. */
  problem(): string | null {
    const { path, title, audience, script, styles } = this as Partial<ConsolePage>;
    if (typeof path !== 'string' || !/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(path))
      return 'needs a "path" of lower-case words with hyphens between.';
    if (typeof title !== 'string' || title.trim() === '') return 'needs a "title".';
    if (!CONSOLE_AUDIENCES.some((each) => each === audience))
      return `needs an "audience": ${CONSOLE_AUDIENCES.join(', ')}.`;
    if (!isFile(script, '.js')) return 'needs a "script": the file URL of a module that is there, with .js.';
    if (styles !== undefined && !isFile(styles, '.css'))
      return 'has "styles" that are no file URL of a style sheet that is there, with .css.';
    return null;
  }
}

/** A page with the plugin that it belongs to. */
export interface PageOfPlugin {
  readonly plugin: string;
  readonly page: ConsolePage;
}

/** What the console needs to know of a page; its addresses are below the console. */
export interface ListedPage {
  readonly path: string;
  readonly title: string;
  readonly audience: ConsoleAudience;
  readonly script: string;
  readonly styles?: string;
}

export function listed({ plugin, page }: PageOfPlugin): ListedPage {
  const path = `plugins/${plugin}/${page.path}`;
  const { title, audience, styles } = page;
  return {
    path,
    title,
    audience,
    script: `${path}.js`,
    ...(styles !== undefined && { styles: `${path}.css` }),
  };
}

function isFile(url: unknown, ending: string): boolean {
  return (
    url instanceof URL &&
    url.protocol === 'file:' &&
    url.pathname.endsWith(ending) &&
    existsSync(fileURLToPath(url))
  );
}
