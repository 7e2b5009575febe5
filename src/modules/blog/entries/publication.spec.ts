import { describe, expect, it } from 'vitest';
import type { EntryStatus } from './entry.dto.js';
import { publicationOf, statusOf, type Publication } from './publication.js';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const PAST = '2026-11-20T12:00:00.000Z';
const FUTURE = '2026-11-22T12:00:00.000Z';

const DRAFT: Publication = { isDraft: true, publishedAt: null };
const SCHEDULED: Publication = { isDraft: false, publishedAt: new Date(FUTURE) };
const PUBLISHED: Publication = { isDraft: false, publishedAt: new Date(PAST) };

const become = (
  status: EntryStatus | undefined,
  published_at: string | undefined,
  known?: Publication,
): [boolean, string | null] => {
  const { isDraft, publishedAt } = publicationOf(
    { ...(status && { status }), ...(published_at !== undefined && { published_at }) },
    NOW,
    known,
  );
  return [isDraft, publishedAt?.toISOString() ?? null];
};

describe('publicationOf', () => {
  it('makes drafts unless told otherwise', () => {
    expect(become(undefined, undefined)).toEqual([true, null]);
    expect(become('draft', FUTURE)).toEqual([true, FUTURE]);
  });

  it('publishes now, or says when it was', () => {
    expect(become('published', undefined)).toEqual([false, NOW.toISOString()]);
    expect(become('published', PAST)).toEqual([false, PAST]);
    expect(become('published', NOW.toISOString())).toEqual([false, NOW.toISOString()]);
    expect(become('published', undefined, SCHEDULED)).toEqual([false, NOW.toISOString()]);
  });

  it('keeps status and time that are not named', () => {
    expect(become(undefined, undefined, DRAFT)).toEqual([true, null]);
    expect(become(undefined, undefined, SCHEDULED)).toEqual([false, FUTURE]);
    expect(become(undefined, undefined, PUBLISHED)).toEqual([false, PAST]);
    expect(become('published', undefined, PUBLISHED)).toEqual([false, PAST]);
    expect(become('draft', undefined, PUBLISHED)).toEqual([true, PAST]);
    expect(become('published', undefined, { ...PUBLISHED, isDraft: true })).toEqual([false, PAST]);
  });

  it.each<[EntryStatus | undefined, string | undefined, Publication]>([
    ['scheduled', undefined, DRAFT],
    ['scheduled', PAST, DRAFT],
    ['scheduled', NOW.toISOString(), DRAFT],
    ['scheduled', undefined, PUBLISHED],
    ['published', FUTURE, DRAFT],
    [undefined, FUTURE, PUBLISHED],
    [undefined, PAST, SCHEDULED],
  ])('refuses %s at %s (%#)', (status, time, known) => {
    expect(() => become(status, time, known)).toThrow(/published_at/);
  });
});

describe('statusOf', () => {
  it('is a matter of the moment', () => {
    expect(statusOf(DRAFT, NOW)).toBe('draft');
    expect(statusOf(SCHEDULED, NOW)).toBe('scheduled');
    expect(statusOf(SCHEDULED, new Date(FUTURE))).toBe('published');
    expect(statusOf({ ...PUBLISHED, isDraft: true }, NOW)).toBe('draft');
  });
});
