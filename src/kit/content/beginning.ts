/** The beginning of a text, for lists: at most `lengthMax` characters and an ellipsis, cut between words. */
export function beginningOf(text: string, lengthMax: number): string {
  const characters = [...text];
  if (characters.length <= lengthMax) return text;
  const beginning = characters.slice(0, lengthMax + 1).join('');
  const end = beginning.lastIndexOf(' ');
  // Not every script puts spaces between words.
  const whole = end > 0 ? beginning.slice(0, end) : characters.slice(0, lengthMax).join('');
  return `${whole.replace(/[\s,;:.–—-]+$/u, '')}…`;
}
