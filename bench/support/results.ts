import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import type { Figure } from './figures.js';
import { REAL, type Workload } from './workload.js';

const COLUMNS = ['Figure', 'Measured', 'Goal', '', 'From'] as const;

/** Rows as a table of Markdown, the first as its head. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length), 3));
  const lines = rows.map((row) => `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`);
  lines.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  return lines.join('\n');
}

/** What was measured, by its name, in the tables of a text; of two of the same name the first. */
export function measuredIn(text: string): ReadonlyMap<string, string> {
  const measured = new Map<string, string>();
  for (const [, what, value] of text.matchAll(/^\| (.+?) +\| (.+?) +\|/gm)) {
    if (!measured.has(what!)) measured.set(what!, value!);
  }
  return measured;
}

/** A document with the figures of its tables as they are in the results; those that are not there stay as they are. */
export function withFiguresOf(results: string, document: string): string {
  const measured = measuredIn(results);
  return document.replaceAll(/^\| (.+?) \| .+? \|$/gm, (row, what: string) => {
    const value = measured.get(what);
    return value === undefined ? row : `| ${what} | ${value} |`;
  });
}

export interface SectionResult {
  readonly name: string;
  readonly figures: readonly Figure[];
  readonly seconds: number;
}

/** On what a run was made; its beginning says whether the machine was quiet. */
export interface RunConditions {
  readonly command: string;
  readonly commit: string;
  readonly startedAt: Date;
  readonly loadAverage: number;
}

export function runConditions(command: string): RunConditions {
  return { command, commit: commitOf(), startedAt: new Date(), loadAverage: loadavg()[0]! };
}

function commitOf(): string {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const commit = git('rev-parse', '--short=12', 'HEAD');
  return git('status', '--porcelain', '--untracked-files=no') === '' ? commit : `${commit}, changed`;
}

/** All tables, with what they were measured on. */
export function resultsOf(
  sections: readonly SectionResult[],
  { command, commit, startedAt, loadAverage }: RunConditions,
  { workload, databaseVersion }: { readonly workload: Workload; readonly databaseVersion: string },
): string {
  const [cpu] = cpus();
  const parts = sections.map(({ name, figures, seconds }) => {
    const rows = figures.map(({ what, measured, goal, isMet, basis }) => [
      what,
      measured,
      goal,
      isMet === undefined ? '' : isMet ? 'met' : 'MISSED',
      basis,
    ]);
    return `## ${name}, ${Math.round(seconds)} s\n\n${tableOf([COLUMNS, ...rows])}`;
  });
  const mix =
    workload === REAL
      ? `The markets have fees (maker 0.05 %, taker 0.1 %), 10,000 accounts trade with an API key each, and a quarter of the
orders carry a \`client_order_id\`.`
      : 'The markets have no fees, and 32 accounts trade with two tokens.';
  const minutes = (sections.reduce((sum, { seconds }) => sum + seconds, 0) / 60).toFixed(1);
  return `# Bench results

Written by \`${command}\` at commit ${commit} on ${startedAt.toISOString().slice(0, 10)}, in ${minutes} minutes on
${cpus().length} × ${cpu?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB, with Node ${process.versions.node} and
PostgreSQL ${databaseVersion} with fsync on. Load generator and database share the machine with the service; its load average was
${loadAverage.toFixed(2)} at the beginning. Every ratio is the median over short rounds that its two sides ran in turns, in one process each.
${mix}

${parts.join('\n\n')}
`;
}
