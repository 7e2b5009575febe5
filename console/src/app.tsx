import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { brand, logoUrl } from './brand.js';
import { useConnection, useLoaded } from './live.js';
import type { Page } from './page.js';
import { type FoundPage, navigationOf, pageAt, mayOpen } from './pages.js';
import { Failure, WhenLoaded } from './parts/notice.jsx';
import { StepUpDialog } from './parts/step-up-dialog.jsx';
import { currentPath, Link, usePath } from './router.jsx';
import { isOperator, logIn, logOut, session, type User } from './session.js';
import { useStore } from './store.js';
import { LanguageChoice } from './parts/language.jsx';
import { ThemeChoice } from './parts/theme.jsx';
import { words } from './words/index.js';

export function App(): JSX.Element {
  const path = usePath();
  const { user, ended } = useStore(session);
  const found = pageAt(path);
  const title = found === undefined ? words.notFound : titleOf(found);
  const heading = useHeading(title, path);
  const desk = navigationOf('desk', user);
  return (
    <>
      <a class="skip" href={`${location.pathname}#page`} onClick={(event) => skipTo(event, heading.current)}>
        {words.skip}
      </a>
      <header class="top">
        <Link to="" class="brand">
          {logoUrl === null ? brand.name : <img src={logoUrl} alt={brand.name} />}
        </Link>
        <Navigation group="trading" current={found?.page}>
          {desk[0] !== undefined && (
            <Link to={desk[0].path} {...(found?.page.group === 'desk' && { 'aria-current': 'true' })}>
              {words.pages.desk}
            </Link>
          )}
        </Navigation>
        <ConnectionState />
        <ThemeChoice />
        <Who user={user} />
      </header>
      {found?.page.group === 'desk' && <Navigation group="desk" current={found.page} />}
      {!isSecureContext && <Failure text={words.needsHttps} />}
      {ended !== null && <Failure text={words.ended[ended]} />}
      <main id="page">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {found === undefined ? (
          <Link to="">{words.notFoundHint}</Link>
        ) : (
          <Opened key={found.page.path} {...found} user={user} />
        )}
      </main>
      <StepUpDialog />
      <footer>
        <a href="https://www.tradingview.com/" rel="noreferrer">
          {words.charts}
        </a>
        <a href={new URL('../docs', document.baseURI).pathname}>{words.api}</a>
        {brand.footer_links.map(({ label, url }) => (
          <a key={url} href={url} rel="noreferrer">
            {label}
          </a>
        ))}
        {brand.support !== null && <a href={brand.support}>{words.support}</a>}
        <LanguageChoice />
      </footer>
    </>
  );
}

function titleOf({ page, rest }: FoundPage): string {
  return rest.length === 0 ? page.title : (page.titleOf?.(rest) ?? page.title);
}

interface NavigationProps {
  readonly group: Page['group'];
  readonly current: Page | undefined;
  readonly children?: ComponentChildren;
}

function Navigation({ group, current, children }: NavigationProps): JSX.Element {
  const { user } = useStore(session);
  return (
    <nav class={group} aria-label={words.pages[group]}>
      {navigationOf(group, user).map((page) => (
        <Link key={page.path} to={page.path} {...(page === current && { 'aria-current': 'page' })}>
          {page.title}
        </Link>
      ))}
      {children}
    </nav>
  );
}

function Who({ user }: { readonly user: User | null }): JSX.Element {
  if (user === null) {
    return (
      <button type="button" class="primary" onClick={() => void logIn()}>
        {words.logIn}
      </button>
    );
  }
  return (
    <span class="who">
      <span>{user.username ?? user.sub}</span>
      <button type="button" onClick={() => void logOut()}>
        {words.logOut}
      </button>
    </span>
  );
}

/** A page once its code is there, for those who may see it. */
function Opened({ page, rest, user }: FoundPage & { readonly user: User | null }): JSX.Element {
  const isAllowed = mayOpen(page, user);
  const code = useLoaded(isAllowed ? page.path : null, page.load);
  if (!isAllowed)
    return (
      <p>{user === null ? words.needsLogIn : isOperator(user) ? words.needsRole : words.needsOperator}</p>
    );
  return <WhenLoaded of={code}>{(Component) => <Component rest={rest} />}</WhenLoaded>;
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
