/**
 * The language of this window: the one chosen in this browser, which the service sets to the user's at each log-in; else the first
 * that the browser asks for and the service has; else the service's own.
 */
import { bestLanguage } from '../../../src/domain/words/languages.js';
import { baseUrl, toldByService } from '../router.jsx';
import { localeFor } from './locale.js';

/** As the service reads it. */
const COOKIE = 'language';
const YEAR_S = 31_536_000;

/** The languages of the service by their tags, each by its own name. */
export const languages = JSON.parse(toldByService('languages') ?? '{}') as Readonly<Record<string, string>>;

export const language =
  bestLanguage([...chosen(), ...navigator.languages], Object.keys(languages)) ??
  toldByService('default-language') ??
  'en';

export const locale = localeFor(language, navigator.languages);

document.documentElement.lang = language;

/** Keeps the choice, and shows the window in it. */
export function choose(tag: string): void {
  const path = new URL('..', baseUrl()).pathname;
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  document.cookie = `${COOKIE}=${tag}; Path=${path}; Max-Age=${YEAR_S}; SameSite=Lax${secure}`;
  location.reload();
}

function chosen(): readonly string[] {
  const value = new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)`).exec(document.cookie)?.[1];
  return value === undefined ? [] : [value];
}
