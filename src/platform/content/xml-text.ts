/** What no XML document may carry, escaped or not: most control characters and a few that are none. */
const NOT_IN_XML = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** The text without what would break a feed. */
export function xmlText(text: string): string {
  return text.replace(NOT_IN_XML, '');
}
