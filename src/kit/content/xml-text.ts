/** Characters that no XML document may contain, even escaped: most control characters and some noncharacters. */
const NOT_IN_XML = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Removes characters that are invalid in XML. */
export function xmlText(text: string): string {
  return text.replace(NOT_IN_XML, '');
}
