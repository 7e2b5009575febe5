import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exampleOf, filledFieldsOf } from './example-of-answers.js';

/** By operation, such as `GET /orders`, and by status. */
export type Examples = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The folder into which tests record what the service answers; tests record nothing without it. */
export const RECORD_FOLDER = 'RECORD_ANSWERS';

/** An example that is larger costs all readers of the document more than it tells them. */
const BYTES_MAX = 6_000;

/** Keeps the best example of each answer that is better than the known one, in a file of this process. */
export class RecordedAnswers {
  private readonly best: Record<string, Record<string, unknown>> = {};

  constructor(
    private readonly folder: string,
    private readonly known: Examples,
  ) {}

  /** `isDeclared` tells whether a value is what the document declares for this answer. */
  add(operation: string, status: number, answer: unknown, isDeclared: (example: unknown) => boolean): void {
    const example = exampleOf(answer);
    if (JSON.stringify(example).length > BYTES_MAX || !isDeclared(example)) return;
    const known = this.known[operation]?.[status];
    // A known one that is right stays, unless another tells more: a recording changes no more than it has to.
    if (known !== undefined && isDeclared(known) && filledFieldsOf(example) <= filledFieldsOf(known)) return;
    const ofOperation = (this.best[operation] ??= {});
    if (!isBetter(example, ofOperation[status])) return;
    ofOperation[status] = example;
    writeFileSync(join(this.folder, `${process.pid}.json`), JSON.stringify(this.best));
  }
}

/** The best of what all processes have recorded. */
export function examplesIn(folder: string): Examples {
  const merged: Record<string, Record<string, unknown>> = {};
  for (const name of readdirSync(folder).sort()) {
    const recorded = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Examples;
    for (const [operation, answers] of Object.entries(recorded)) {
      const ofOperation = (merged[operation] ??= {});
      for (const [status, example] of Object.entries(answers)) {
        if (isBetter(example, ofOperation[status])) ofOperation[status] = example;
      }
    }
  }
  return merged;
}

/** Whether it tells more; of two that tell as much, the shorter is better. */
function isBetter(example: unknown, than: unknown): boolean {
  if (than === undefined) return true;
  const [more, less] = [filledFieldsOf(example), filledFieldsOf(than)];
  if (more !== less) return more > less;
  return JSON.stringify(example).length < JSON.stringify(than).length;
}
