import type { Message } from '../../domain/words/catalog.js';
import { Html, html } from '../content/html.js';

/** A message whose placeholders become markup: its own text is escaped, as any text is. */
export function filledHtml<Names extends string>(
  { template }: Message<Names>,
  values: Readonly<Record<Names, string | Html>>,
): Html {
  const parts = template.split(/\{(\w+)\}/).map((part, at) => {
    if (at % 2 === 0) return html`${part}`;
    const value = (values as Readonly<Record<string, string | Html>>)[part];
    return html`${value ?? `{${part}}`}`;
  });
  return new Html(parts.map(({ markup }) => markup).join(''));
}
