import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../config/config.js';
import { Texts } from './texts.js';

/** As the console reads and writes it. */
const COOKIE = 'language';
const COOKIE_LIFETIME_MS = 365 * 86_400_000;

/** The parameter of an address by which a person chooses, once and for the browser. */
export const LANGUAGE_PARAMETER = 'lang';

/** In what language a browser is answered, and the choice that it keeps. */
@Injectable()
export class LanguagesOfRequests {
  constructor(
    private readonly texts: Texts,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** What the address chooses, then what the browser has kept, then what a client or the browser asks for. */
  of(request: Request): string {
    const kept = this.chosenBy(request);
    const asked = parameterOf(request, 'ui_locales');
    return this.texts.best([
      ...(kept === undefined ? [] : [kept]),
      // OpenID Connect: tags with spaces between.
      ...(asked?.split(' ') ?? []),
      ...request.acceptsLanguages(),
    ]);
  }

  /** What a person has chosen in this browser; undefined for who takes what comes. */
  chosenBy(request: Request): string | undefined {
    return [parameterOf(request, LANGUAGE_PARAMETER), cookieOf(request)].find(
      (each) => each !== undefined && this.texts.has(each),
    );
  }

  /** Lets the browser keep what its address has chosen. */
  keepChoice(request: Request, response: Response): void {
    const chosen = parameterOf(request, LANGUAGE_PARAMETER);
    if (chosen !== undefined && this.texts.has(chosen)) this.keep(chosen, response);
  }

  /** Lets a browser keep a language. */
  keep(language: string, response: Response): void {
    const { pathname, protocol } = new URL(this.config.publicUrl);
    response.cookie(COOKIE, language, {
      path: pathname.endsWith('/') ? pathname : `${pathname}/`,
      maxAge: COOKIE_LIFETIME_MS,
      sameSite: 'lax',
      secure: protocol === 'https:',
    });
  }
}

/** Undefined where the address is broken, too: the page that says so is in some language. */
function parameterOf(request: Request, name: string): string | undefined {
  try {
    const value: unknown = request.query[name];
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function cookieOf(request: Request): string | undefined {
  return new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)`).exec(request.headers.cookie ?? '')?.[1];
}
