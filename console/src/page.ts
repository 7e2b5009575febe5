import type { JSX } from 'preact';
import type { Role } from './session.js';
import type { PageProps } from './router.jsx';

export interface Page {
  /** Below the console, such as `portfolio` or `desk/inbox`. */
  readonly path: string;
  readonly title: string;
  /** Which navigation it stands in. */
  readonly group: 'trading' | 'desk';
  /** Who may see it. */
  readonly needs: 'nobody' | 'user' | 'operator';
  /** The roles of operators that it is for, as the routes that it calls declare; left out, for all of them. */
  readonly roles?: readonly Role[];
  /** The groups of the service that it shows, where a service may be without them: it needs one of them. */
  readonly shows?: readonly string[];
  /** How many parts its address may have behind its path; the first of them names what is shown. */
  readonly depth: number;
  /** The title where its address has such parts. */
  readonly titleOf?: (rest: readonly string[]) => string;
  /** Its code, loaded when somebody goes there. */
  readonly load: () => Promise<(props: PageProps) => JSX.Element>;
}
