import { Injectable } from '@nestjs/common';
import { integer, listOf, oneOf } from '../../kit/config/readers.js';
import { optional } from '../../kit/config/setting.js';
import { settingGroup } from '../../kit/config/setting-group.js';
import { Settings } from '../../kit/config/settings.js';
import { ApiError } from '../../kit/http/errors.js';

const LENGTH_MIN_IN_PRODUCTION = 8;
/** The Petstore's own documents use `12345`. */
const LENGTH_MIN = 5;

const CHARACTERS = {
  lower: { pattern: /\p{Ll}/u, words: 'a lower-case letter' },
  upper: { pattern: /\p{Lu}/u, words: 'a capital letter' },
  digit: { pattern: /\p{Nd}/u, words: 'a digit' },
  symbol: { pattern: /[^\p{L}\p{N}]/u, words: 'a character that is no letter and no digit' },
} as const;

type CharacterKind = keyof typeof CHARACTERS;

/** What new passwords must be like; those that are set already stay good. */
export const PASSWORD_SETTINGS = settingGroup(
  {
    lengthMin: optional(
      'PASSWORD_LENGTH_MIN',
      integer(LENGTH_MIN, 128),
      '8 in production, else 5',
      'How many characters a new password has at least.',
    ),
    characters: optional(
      'PASSWORD_CHARACTERS',
      listOf(oneOf('lower', 'upper', 'digit', 'symbol'), 4),
      'none',
      'Of which kinds a new password needs a character: lower, upper, digit, symbol. NIST advises against such rules; length does more.',
    ),
  },
  ({ lengthMin, characters }, { isProduction }) => ({
    lengthMin: lengthMin ?? (isProduction ? LENGTH_MIN_IN_PRODUCTION : LENGTH_MIN),
    characters: characters ?? [],
  }),
);

/** The operator's rules for new passwords. */
@Injectable()
export class PasswordPolicy {
  private readonly lengthMin: number;
  private readonly characters: readonly CharacterKind[];

  constructor(settings: Settings) {
    ({ lengthMin: this.lengthMin, characters: this.characters } = settings.get(PASSWORD_SETTINGS));
  }

  /** Throws `validation_failed` (400), which names the field and never the password. */
  require(password: string, field: string): void {
    const lacks = this.characters.filter((kind) => !CHARACTERS[kind].pattern.test(password));
    const isShort = [...password.normalize()].length < this.lengthMin;
    if (!isShort && lacks.length === 0) return;
    const wanted = [
      ...(isShort ? [`at least ${this.lengthMin} characters`] : []),
      ...lacks.map((kind) => CHARACTERS[kind].words),
    ];
    throw ApiError.validation([{ field, message: `${field} must have ${wanted.join(' and ')}` }]);
  }
}
