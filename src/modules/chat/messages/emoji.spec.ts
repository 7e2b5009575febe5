import { describe, expect, it } from 'vitest';
import { emojiOf } from './emoji.js';

describe('emojiOf', () => {
  it.each(['👍', '👍🏽', '❤️', '👩🏽‍🚀', '🏳️‍🌈', '🇵🇹', '7️⃣', '🫡'])('takes %s as it is', (emoji) => {
    expect(emojiOf(emoji)).toBe(emoji);
  });

  it.each([
    ['❤', '❤️'],
    ['☕', '☕'],
    ['✈', '✈️'],
  ])('counts %s as %s', (text, emoji) => {
    expect(emojiOf(text)).toBe(emoji);
  });

  it.each(['', 'a', '7', '👍👍', '👍 ', ':+1:', '\u200D', '\uFE0F', '🇵', '<b>', '👍\0'])(
    'refuses %j',
    (text) => {
      expect(() => emojiOf(text)).toThrow(
        expect.objectContaining({ code: 'validation_failed', status: 400 }),
      );
    },
  );
});
