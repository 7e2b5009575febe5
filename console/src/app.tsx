import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useConnection } from './live.js';
import { pageAt, PAGES } from './pages.jsx';
import { currentPath, Link, usePath } from './router.jsx';
import { logIn, logOut, session } from './session.js';
import { useStore } from './store.js';
import { ThemeChoice } from './parts/theme.jsx';
import { words } from './words.js';

export function App(): JSX.Element {
  const path = usePath();
  const { user, isExpired } = useStore(session);
  const [name, parameter] = path.split('/').map(decodeURIComponent);
  const page = pageAt(name ?? '', parameter);
  const title = page?.title ?? words.notFound;
  const heading = useHeading(title, path);
  return (
    <>
      <a class="skip" href={`${location.pathname}#page`} onClick={(event) => skipTo(event, heading.current)}>
        {words.skip}
      </a>
      <header class="top">
        <Link to="" class="brand">
          {words.product}
        </Link>
        <nav aria-label={words.navigation}>
          {PAGES.map(({ path: to, title: label }) => (
            <Link key={to} to={to} {...(page?.path === to && { 'aria-current': 'page' })}>
              {label}
            </Link>
          ))}
        </nav>
        <ConnectionState />
        <ThemeChoice />
        {user === null ? (
          <button type="button" class="primary" onClick={() => void logIn()}>
            {words.logIn}
          </button>
        ) : (
          <span class="who">
            <span>{user.username ?? user.sub}</span>
            <button type="button" onClick={() => void logOut()}>
              {words.logOut}
            </button>
          </span>
        )}
      </header>
      {!isSecureContext && (
        <p class="notice" role="alert">
          {words.needsHttps}
        </p>
      )}
      {isExpired && (
        <p class="notice" role="alert">
          {words.expired}
        </p>
      )}
      <main id="page">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {page === undefined ? <Link to="">{words.notFoundHint}</Link> : page.render()}
      </main>
      <footer>
        <a href="https://www.tradingview.com/" rel="noreferrer">
          {words.charts}
        </a>
        <a href={new URL('../docs', document.baseURI).pathname}>{words.api}</a>
      </footer>
    </>
  );
}

function ConnectionState(): JSX.Element {
  const state = useConnection();
  return (
    <span class="connection" role="status" data-state={state ?? 'none'}>
      {state === undefined ? '' : words.connection[state]}
    </span>
  );
}

function skipTo(event: MouseEvent, heading: HTMLHeadingElement | null): void {
  event.preventDefault();
  heading?.focus();
}

/** Names the window after the page, and moves the focus to its heading, so that screen readers tell it. */
function useHeading(title: string, path: string): { current: HTMLHeadingElement | null } {
  const heading = useRef<HTMLHeadingElement | null>(null);
  const [first] = useState(currentPath);
  const hasMoved = useRef(false);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    hasMoved.current ||= path !== first;
    if (hasMoved.current) heading.current?.focus();
  }, [path]);
  return heading;
}
