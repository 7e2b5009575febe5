import type { JSX } from 'preact';
import { Link } from '../router.jsx';

interface SubNavProps {
  readonly label: string;
  /** The path of the page that its parts are below, such as `portfolio`. */
  readonly base: string;
  /** The names of the parts by their paths; the first is also at the page's own path. */
  readonly parts: Readonly<Record<string, string>>;
  readonly current: string;
}

/** The parts of a page, each with an address of its own. */
export function SubNav({ label, base, parts, current }: SubNavProps): JSX.Element {
  return (
    <nav class="parts" aria-label={label}>
      {Object.entries(parts).map(([path, name], at) => (
        <Link
          key={path}
          to={at === 0 ? base : `${base}/${path}`}
          {...(path === current && { 'aria-current': 'page' })}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
