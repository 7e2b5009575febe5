import type { EntityManager } from 'typeorm';
import { ApiError } from '../../kit/http/errors.js';
import type { Texts } from '../../kit/words/texts.js';
import { UserEntity } from './user.entity.js';

/** Throws `validation_failed` (400) for a language that the service does not have. */
export function requireLanguage({ languages }: Texts, language: string | null | undefined): void {
  if (language == null || Object.hasOwn(languages, language)) return;
  const known = Object.keys(languages).join(', ');
  throw ApiError.validation([{ field: 'language', message: `language must be one of ${known}` }]);
}

/** Keeps what somebody has chosen before the log-in, unless the user has chosen already. Answers with what counts. */
export async function keepFirstLanguage(
  manager: EntityManager,
  { userId, language }: Pick<UserEntity, 'userId' | 'language'>,
  chosen: string | undefined,
): Promise<string | null> {
  if (language !== null || chosen === undefined) return language;
  await manager.update(UserEntity, { userId }, { language: chosen });
  return chosen;
}
