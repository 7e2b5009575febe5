import { ApiError } from '../../../kit/http/errors.js';
import { parseUtcTime } from '../../../kit/http/validation/is-utc-time.js';
import type { BlogEntryEntity } from './blog-entry.entity.js';
import type { EntryStatus, WriteEntryDto } from './entry.dto.js';

/** Whether and from when on an entry can be seen. */
export type Publication = Pick<BlogEntryEntity, 'isDraft' | 'publishedAt'>;

const UNPUBLISHED: Publication = { isDraft: true, publishedAt: null };

export function statusOf({ isDraft, publishedAt }: Publication, now: Date): EntryStatus {
  if (isDraft || publishedAt === null) return 'draft';
  return publishedAt > now ? 'scheduled' : 'published';
}

/**
 * What becomes of an entry that its author gives a status and a time, at the database's time `now`. Throws
 * `validation_failed` (400) for a time that does not go with the status.
 */
export function publicationOf(
  { status, published_at }: Pick<WriteEntryDto, 'status' | 'published_at'>,
  now: Date,
  known: Publication = UNPUBLISHED,
): Publication {
  const wanted = status ?? statusOf(known, now);
  const given = published_at == null ? undefined : new Date(parseUtcTime(published_at) as number);
  const publishedAt = given ?? known.publishedAt;
  switch (wanted) {
    case 'draft':
      return { isDraft: true, publishedAt };
    case 'scheduled':
      if (publishedAt === null || publishedAt <= now) throw refusal('must lie ahead for status scheduled');
      return { isDraft: false, publishedAt };
    case 'published':
      if (given !== undefined && given > now) throw refusal('must not lie ahead for status published');
      // A scheduled entry is published now.
      return { isDraft: false, publishedAt: publishedAt !== null && publishedAt <= now ? publishedAt : now };
  }
}

function refusal(problem: string): ApiError {
  return ApiError.validation([{ field: 'published_at', message: `published_at ${problem}` }]);
}
