import type { ComponentChildren, JSX } from 'preact';
import { Store, useStore } from './store.js';

/** What the service has written into the page. */
export function toldByService(name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;
}

/** Where the console is, with a slash at its end; the service writes it into the page. */
export function baseUrl(): URL {
  return new URL(document.baseURI);
}

/** Where the API is. */
export function serviceUrl(): string {
  return new URL('..', baseUrl()).href;
}

/** The path below the console, without slashes at its ends. */
export function currentPath(): string {
  const base = baseUrl().pathname;
  const { pathname } = location;
  return pathname.startsWith(base) ? pathname.slice(base.length).replace(/\/$/, '') : '';
}

const path = new Store(currentPath());
addEventListener('popstate', () => path.set(currentPath()));

export function usePath(): string {
  return useStore(path);
}

export function navigate(to: string): void {
  history.pushState(null, '', new URL(to, baseUrl()));
  path.set(currentPath());
  scrollTo(0, 0);
}

/** Changes the address without a step in the browser's history. */
export function replacePath(to: string): void {
  history.replaceState(null, '', new URL(to, baseUrl()));
  path.set(currentPath());
}

/** What a page is told: the parts of its address behind its own path. */
export interface PageProps {
  readonly rest: readonly string[];
}

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly 'aria-current'?: 'page' | 'true';
  readonly children: ComponentChildren;
}

/** A link to another page of the console. */
export function Link({ to, children, ...rest }: LinkProps): JSX.Element {
  const follow = (event: MouseEvent): void => {
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlain) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a {...rest} href={new URL(to, baseUrl()).pathname} onClick={follow}>
      {children}
    </a>
  );
}
