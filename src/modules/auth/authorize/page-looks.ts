import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Words } from '../../../domain/words/catalog.js';
import type { ApiError } from '../../../kit/http/errors.js';
import type { Branding } from '../../../kit/words/branding/branding.js';
import { LANGUAGE_PARAMETER, LanguagesOfRequests } from '../../../kit/words/languages-of-requests.js';
import { FIRST_LANGUAGE, Texts } from '../../../kit/words/texts.js';
import { AUTH_WORDS } from '../words/auth-words.js';
import type { en } from '../words/en.js';

/** In what language a page is, and what stands around it. */
export interface PageLook {
  readonly language: string;
  readonly words: Words<typeof en>;
  readonly branding: Branding;
  /** The same page in each language. */
  readonly languages: readonly { readonly tag: string; readonly name: string; readonly address: string }[];
}

/** Steps whose address takes forms alone: the page that has them is at another one. */
const FORM_STEPS: ReadonlySet<string> = new Set(['login', 'code', 'passkey', 'consent']);

@Injectable()
export class PageLooks {
  constructor(
    private readonly texts: Texts,
    private readonly requested: LanguagesOfRequests,
  ) {}

  of(request: Request): PageLook {
    const language = this.requested.of(request);
    return {
      language,
      words: this.texts.of(AUTH_WORDS, language),
      branding: this.texts.branding,
      languages: Object.entries(this.texts.languages).map(([tag, name]) => ({
        tag,
        name,
        address: addressIn(tag, request),
      })),
    };
  }
}

/** What a page tells of a refusal. The service's own sentences are English. */
export function refusalWords({ words, language }: PageLook, error: ApiError): string {
  const refusals: Readonly<Record<string, string>> = words.refusals;
  const own = error.details?.map(({ message }) => message).join('; ') ?? error.message;
  return language === FIRST_LANGUAGE || !Object.hasOwn(refusals, error.code) ? own : refusals[error.code]!;
}

/** Relative to `/oauth/`, as all addresses in the pages. */
function addressIn(language: string, { path, originalUrl }: Request): string {
  const step = path.slice(path.lastIndexOf('/') + 1);
  const query = new URLSearchParams(originalUrl.split('?')[1]);
  query.set(LANGUAGE_PARAMETER, language);
  return `${FORM_STEPS.has(step) ? 'authorize' : step}?${query.toString()}`;
}
