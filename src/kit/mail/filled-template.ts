import { Html } from '../content/html.js';

/** A template of a mail with what it names; of markup, what is inserted is escaped already. The start has checked the names. */
export function filledTemplate(template: string, parts: Readonly<Record<string, string | Html>>): string {
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const part = parts[name] ?? placeholder;
    return part instanceof Html ? part.markup : part;
  });
}
