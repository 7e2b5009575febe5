import type { DestinationStream } from 'pino';

interface LogLine extends Record<string, unknown> {
  readonly level: string;
  readonly time: string;
  readonly context?: string;
  readonly msg?: string;
  /** As pino's serializer leaves it. */
  readonly err?: { readonly type: string; readonly message: string; readonly stack?: string };
  readonly stack?: string;
}

/**
 * Control and format characters could move the cursor, change colours, forge a line or reverse the display, and logged
 * text may come from anybody.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const PLAIN_VALUE = /^[\w.,:/@+-]+$/;

/** Formats pino's JSON lines for people: `20:08:56 info  Core: leading the core  epoch=1`. */
export function textLines(destination: DestinationStream): DestinationStream {
  return { write: (line) => destination.write(`${asText(JSON.parse(line) as LogLine)}\n`) };
}

function asText({ level, time, context, msg, err, stack, ...fields }: LogLine): string {
  const { message: reason, stack: trace = stack, type: _type, ...details } = { ...err };
  const source = context === undefined ? '' : `${context}: `;
  const what = [msg ?? reason, ...inWords(fields), ...inWords(details)].join('  ');
  // The first line of a trace repeats the reason.
  const below = trace ?? (msg === undefined ? undefined : reason);
  const lines = [`${localTime(time)} ${level.padEnd(5)} ${source}${what}`];
  if (below !== undefined) lines.push(...below.split('\n').map((line) => `    ${line}`));
  return lines.map(printable).join('\n');
}

function inWords(fields: object): string[] {
  return Object.entries(fields).map(([name, value]) => {
    const isPlain = typeof value === 'string' && PLAIN_VALUE.test(value);
    return `${name}=${isPlain ? value : JSON.stringify(value)}`;
  });
}

function localTime(time: string): string {
  return new Date(time).toTimeString().slice(0, 'hh:mm:ss'.length);
}

function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
