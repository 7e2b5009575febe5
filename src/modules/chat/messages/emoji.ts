import { ApiError } from '../../../kit/http/errors.js';

/** One emoji as Unicode recommends it, whichever code points it takes. Thousands of sequences: made when first asked. */
let emoji: RegExp | undefined;
/** Makes a character that is also a text symbol an emoji; keyboards leave it out now and then. */
const EMOJI_PRESENTATION = '\uFE0F';

/** The emoji that `text` is, in the one form in which it is counted. Throws `validation_failed` (400). */
export function emojiOf(text: string): string {
  emoji ??= new RegExp('^\\p{RGI_Emoji}$', 'v');
  if (emoji.test(text)) return text;
  const qualified = text + EMOJI_PRESENTATION;
  if (emoji.test(qualified)) return qualified;
  throw ApiError.validation([{ field: 'emoji', message: 'emoji must be one emoji, such as 👍' }]);
}
