const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escaped markup: only the tag below makes it, so no text gets in unescaped. */
export class Html {
  constructor(readonly markup: string) {}
}

/** A template that escapes its values, except markup; it joins lists, and null is empty. */
export function html(parts: TemplateStringsArray, ...values: readonly Insertion[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(markupOf)));
}

type Insertion = string | Html | readonly Html[] | null;

function markupOf(value: Insertion): string {
  if (value === null) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
  return value.map((each) => each.markup).join('');
}
